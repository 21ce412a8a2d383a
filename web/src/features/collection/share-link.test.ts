import { expect, test } from "vitest";
import { shareLink } from "./share-link";

test.each([
  ["inscription", "ordinals"],
  ["rune", "runes"],
  ["brc20", "brc-20"],
] as const)("the link of a group of %s leads to %s", (collateralType, category) => {
  const row = { groupSlug: "lantern foxes&co", collateralType };
  expect(shareLink(row, "lend", "https://lienbook.example")).toBe(
    `https://lienbook.example/lend/${category}?collection=lantern+foxes%26co&view=detail`,
  );
});
