import { expect, test } from "vitest";
import { lastCategory } from "./last-category";

test.each([
  ["", "ordinals"],
  ["lienbook.category=runes", "runes"],
  ["a=1; lienbook.category=brc-20; b=2", "brc-20"],
  ["lienbook.category=elsewhere", "ordinals"],
  ["other.lienbook.category=runes", "ordinals"],
])("with the cookies %j the market opens at %s", (cookies, category) => {
  expect(lastCategory(cookies)).toBe(category);
});
