import { expect, it } from "vitest";
import type { Collection } from "@/shared/api/collection";
import { pledgeText, pledgeTitle, togetherText } from "./pledge-text";

const row = { collateralType: "rune", runeName: "PUPS", runeDecimals: 2 } as unknown as Collection;
const [first, second] = [`${"ab".repeat(32)}i0`, `${"cd".repeat(32)}i1`];

it.each([
  [{ inscriptionIds: [first], fungibleAmount: null }, "inscription abab…abi0"],
  [{ inscriptionIds: [first, second], fungibleAmount: null }, "2 inscriptions"],
  [{ inscriptionIds: [], fungibleAmount: 150_050n }, "1,500.5 PUPS"],
])("the collateral %o is named in words", (pledge, text) => {
  expect(pledgeText(pledge, row)).toBe(text);
});

it("the title has every id in full, and tokens have none", () => {
  expect(pledgeTitle({ inscriptionIds: [first] })).toBe(first);
  expect(pledgeTitle({ inscriptionIds: [first, second] })).toBe(`${first}\n${second}`);
  expect(pledgeTitle({ inscriptionIds: [] })).toBeUndefined();
});

it("several inscriptions are repaid and claimed together", () => {
  expect(togetherText(5)).toBe(
    "You pledge 5 inscriptions together. They are repaid and claimed together, and each returns in an output of its own.",
  );
  expect(togetherText(5, "lender")).toBe(
    "5 inscriptions secure this loan together: you are repaid for all of them at once, or claim all of them.",
  );
});
