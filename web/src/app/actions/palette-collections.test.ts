import { describe, expect, test } from "vitest";
import type { Collection } from "@/shared/api/collection";
import { foundCollections } from "./palette-collections";

const named = (...names: string[]) =>
  names.map((collectionName) => ({ id: collectionName, collectionName }) as Collection);
const MARKET = named("Paper Lanterns", "Lantern Foxes", "Quiet Moons", "LANTERN•RUNE", "Lending Owls");
const LABELS = ["Lend against Ordinals", "Portfolio", "Light theme"];
const find = (search: string, rows = MARKET) => {
  const found = foundCollections(rows, search, LABELS);
  return { names: found.rows.map(({ collectionName }) => collectionName), lead: found.lead };
};

describe("the collections of the palette", () => {
  test("that start with the search come before those that contain it, and before actions that resemble it", () => {
    expect(find("lant")).toEqual({ names: ["Lantern Foxes", "LANTERN•RUNE", "Paper Lanterns"], lead: true });
  });

  test("follow the actions when their names only contain it", () => {
    expect(find("moon")).toEqual({ names: ["Quiet Moons"], lead: false });
  });

  test("follow an action whose label starts with it as well", () => {
    expect(find("lend")).toEqual({ names: ["Lending Owls"], lead: false });
  });

  test("are none without a search or a match", () => {
    expect(find("  ")).toEqual({ names: [], lead: false });
    expect(find("never")).toEqual({ names: [], lead: false });
  });

  test("are six at most, and those that start with the search take precedence", () => {
    const many = named(...Array.from({ length: 9 }, (_, index) => `The Moon ${index}`), "Moon Base");
    expect(find("moon", many).names).toEqual([
      "Moon Base",
      ...many.slice(0, 5).map((row) => row.collectionName),
    ]);
  });
});
