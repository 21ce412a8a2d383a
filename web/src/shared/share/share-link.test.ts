import { expect, test } from "vitest";
import { detailAddress, offerLink, shareLink } from "./share-link";

test.each([
  ["inscription", "ordinals"],
  ["rune", "runes"],
  ["brc20", "brc-20"],
] as const)("the links of a group of %s lead to %s", (collateralType, category) => {
  const row = { groupSlug: "lantern foxes&co", collateralType };
  expect(shareLink(row, "lend", "https://lienbook.example")).toBe(
    `https://lienbook.example/lend/${category}?collection=lantern+foxes%26co&view=detail`,
  );
  expect(offerLink(row, "of_7", "https://lienbook.example")).toBe(
    `https://lienbook.example/borrow/${category}?collection=lantern+foxes%26co&offer=of_7`,
  );
  expect(detailAddress(row)).toBe(`/borrow/${category}?collection=lantern+foxes%26co&view=detail`);
});
