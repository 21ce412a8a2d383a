import { expect, it } from "vitest";
import { earnedHistory, endedResult } from "./earned-history";

const TIME = { from: 1_000, until: 9_000 };

it("sums up the results of ended loans in the order of their ends", () => {
  const report = {
    ...TIME,
    resultSats: -210_000n,
    loans: [
      { until: 5_000, end: "claimed", resultSats: -300_000n },
      { until: 2_000, end: "repaid", resultSats: 100_000n },
      { until: 9_000, end: "running", resultSats: -10_000n },
    ] as const,
  };
  const withLoans = { ...report, loans: [...report.loans] };
  expect(endedResult(withLoans)).toBe(-200_000n);
  expect(earnedHistory(withLoans)).toEqual([
    { atMs: 1_000, value: 0 },
    { atMs: 2_000, value: 100_000 },
    { atMs: 5_000, value: -200_000 },
    { atMs: 9_000, value: -200_000 },
  ]);
});

it("begins with the result of loans that are not listed", () => {
  const [first] = earnedHistory({
    ...TIME,
    resultSats: 500_000n,
    loans: [{ until: 2_000, end: "repaid", resultSats: 100_000n }],
  });
  expect(first).toEqual({ atMs: 1_000, value: 400_000 });
});
