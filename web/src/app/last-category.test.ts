import { expect, test } from "vitest";
import { lastCategory, openingAddress } from "./last-category";

test.each([
  ["", "ordinals"],
  ["lienbook.category=runes", "runes"],
  ["a=1; lienbook.category=brc-20; b=2", "brc-20"],
  ["lienbook.category=elsewhere", "ordinals"],
  ["other.lienbook.category=runes", "ordinals"],
])("with the cookies %j the market opens at %s", (cookies, category) => {
  expect(lastCategory(cookies)).toBe(category);
});

test.each([
  ["borrow", "", false, "/borrow/ordinals?process=instant"],
  ["borrow", "", true, "/borrow/ordinals"],
  ["borrow", "lienbook.category=runes", false, "/borrow/runes"],
  ["lend", "", false, "/lend/ordinals"],
] as const)("to %s with the cookies %j and a known wallet %s opens %s", (mode, cookies, isKnown, address) => {
  expect(openingAddress(mode, cookies, isKnown)).toBe(address);
});
