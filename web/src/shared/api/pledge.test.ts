import { expect, it } from "vitest";
import { allInscriptions, inscriptionsText, isSeveral, pledgedRaw } from "./pledge";

it("the collateral in its smallest unit is the number of inscriptions, or the amount of tokens", () => {
  expect(pledgedRaw({ inscriptionIds: ["a"], fungibleAmount: null })).toBe(1n);
  expect(pledgedRaw({ inscriptionIds: ["a", "b", "c"], fungibleAmount: null })).toBe(3n);
  expect(pledgedRaw({ inscriptionIds: [], fungibleAmount: 42n })).toBe(42n);
});

it("inscriptions are several from two on", () => {
  expect([[], ["a"], ["a", "b"]].map((inscriptionIds) => isSeveral({ inscriptionIds }))).toEqual([
    false,
    false,
    true,
  ]);
  expect([1, 5].map(inscriptionsText)).toEqual(["1 inscription", "5 inscriptions"]);
  expect([2, 5].map(allInscriptions)).toEqual(["both inscriptions", "all 5 inscriptions"]);
});
