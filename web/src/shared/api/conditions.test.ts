import { expect, it } from "vitest";
import { conditionTexts } from "./conditions";
import { NO_CONDITIONS } from "./conditions-example";

it("names every condition, in the singular where there is one", () => {
  expect(conditionTexts(NO_CONDITIONS)).toEqual([]);
  const all = {
    borrowerAddress: "bc1q",
    linkKey: "0a",
    repaidMin: 2,
    defaultFreeDays: 90,
    inscriptionCount: 3,
    numbers: [
      { first: 7, last: 7 },
      { first: 1, last: 500 },
      { first: 9, last: 9 },
      { first: 8, last: 8 },
    ],
  };
  expect(conditionTexts(all)).toEqual([
    "only for bc1q",
    "only by its link",
    "2 repaid loans or more",
    "no default in 90 days",
    "3 chosen inscriptions",
    "inscriptions #7, #1–#500, #9 and 1 more",
  ]);
  const one = { ...NO_CONDITIONS, repaidMin: 1, defaultFreeDays: 1, inscriptionCount: 1 };
  expect(conditionTexts(one)).toEqual([
    "1 repaid loan or more",
    "no default in 1 day",
    "1 chosen inscription",
  ]);
});
