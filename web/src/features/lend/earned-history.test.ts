import { expect, it } from "vitest";
import type { Backtest } from "@/shared/api/backtest";
import { earnedHistory } from "./earned-history";

const NOTHING: Backtest = {
  from: 1_000,
  until: 9_000,
  loanCount: 0,
  beyondBudget: 0,
  lentSats: 0n,
  interestSats: 0n,
  feesSats: 0n,
  defaultCount: 0,
  defaultPrincipalSats: 0n,
  defaultCollateralSats: 0n,
  runningCount: 0,
  runningPrincipalSats: 0n,
  resultSats: 0n,
  yieldOnLent: null,
  loans: [],
};

it("sums up results in the order of the loans' ends", () => {
  const loans = [
    { until: 5_000, resultSats: -300_000n },
    { until: 2_000, resultSats: 100_000n },
  ];
  expect(earnedHistory({ ...NOTHING, resultSats: -200_000n, loans })).toEqual([
    { atMs: 1_000, value: 0 },
    { atMs: 2_000, value: 0.001 },
    { atMs: 5_000, value: -0.002 },
    { atMs: 9_000, value: -0.002 },
  ]);
});

it("begins with the result of loans that are not listed", () => {
  const [first] = earnedHistory({
    ...NOTHING,
    resultSats: 500_000n,
    loans: [{ until: 2_000, resultSats: 100_000n }],
  });
  expect(first).toEqual({ atMs: 1_000, value: 0.004 });
});
