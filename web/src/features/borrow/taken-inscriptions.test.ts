import { describe, expect, it } from "vitest";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";
import { row } from "@/shared/feed/feed-fixtures";
import { takenInscriptions } from "./taken-inscriptions";

const FOXES = row();

const held = (inscription_id: string, inscription_number: number | null) =>
  ({ inscription_id, inscription_number, collectionId: FOXES.id, isPromised: false }) as OwnInscription;

const collateral = {
  inscriptions: [held("low", 4), held("first", 5), held("last", 9), held("high", 10), held("unknown", null)],
  runes: [],
} as OwnCollateral;

describe("the inscriptions that an offer takes", () => {
  it("are those chosen by id, and the user's own in a range of numbers, its ends included", () => {
    const numbers = [
      { first: 5, last: 9 },
      { first: 70, last: 70 },
    ];
    const taken = takenInscriptions(new Set(["elsewhere"]), { numbers }, FOXES, collateral);
    expect([...taken].sort()).toEqual(["elsewhere", "first", "last", "unknown"]);
  });

  it("are those chosen by id alone where it names no numbers", () => {
    expect([...takenInscriptions(new Set(["low"]), { numbers: [] }, FOXES, collateral)]).toEqual(["low"]);
  });

  it("are those chosen by id alone while the wallet is unknown", () => {
    expect([
      ...takenInscriptions(undefined, { numbers: [{ first: 0, last: 99 }] }, FOXES, undefined),
    ]).toEqual([]);
  });
});
