import { describe, expect, it } from "vitest";
import { ENDINGS, historyFilter, outcomeSats } from "./history-filter";
import { exampleLoan } from "./loan-example";
import { ENDED_STAGES } from "./loan-state";

describe("the history", () => {
  it("can be filtered by every ending of a loan", () => {
    expect(ENDINGS.flatMap(({ stages }) => stages).sort()).toEqual([...ENDED_STAGES].sort());
    expect(historyFilter({ role: "all", ending: "all" })).toEqual({ role: null, stages: [] });
    expect(historyFilter({ role: "lender", ending: "claimed" })).toEqual({
      role: "lender",
      stages: ["claimed"],
    });
  });

  it.each([
    [
      "a lender earns the interest less the fee",
      { role: "lender", stage: "repaid", platformFeeSats: 30_000n },
      120_000n,
    ],
    ["a borrower pays the interest", { stage: "repaid" }, -150_000n],
    ["a claimed loan came to no sum of bitcoin", { role: "lender", stage: "claimed" }, null],
    ["one that never began came to nothing", { stage: "lapsed" }, null],
  ] as const)("shows the outcome of a loan: %s", (_, fields, sats) => {
    expect(outcomeSats(exampleLoan(fields))).toBe(sats);
  });
});
