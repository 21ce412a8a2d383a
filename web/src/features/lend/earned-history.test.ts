import { expect, it } from "vitest";
import type { Backtest } from "@/shared/api/backtest";
import { earnedHistory, endedResult } from "./earned-history";

const TIME = { from: 1_000, until: 9_000 };

function loan(
  end: Backtest["loans"][number]["end"],
  until: number,
  resultSats: bigint,
): Backtest["loans"][number] {
  return { until, end, resultSats };
}

it("sums up the results of ended loans in the order of their ends", () => {
  const loans = [
    loan("claimed", 5_000, -300_000n),
    loan("repaid", 2_000, 100_000n),
    loan("running", 9_000, -10_000n),
  ];
  const report = { ...TIME, resultSats: -210_000n, loans };
  expect(endedResult(report)).toBe(-200_000n);
  expect(earnedHistory(report)).toEqual([
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
    loans: [loan("repaid", 2_000, 100_000n)],
  });
  expect(first).toEqual({ atMs: 1_000, value: 400_000 });
});
