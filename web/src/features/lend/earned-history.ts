import type { Backtest } from "@/shared/api/backtest";
import type { HistoryPoint } from "@/shared/ui/history-shape";

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;

/** The result of the loans that have ended: of one that runs, only the fee is known. */
export function endedResult({ loans, resultSats }: Pick<Backtest, "loans" | "resultSats">): bigint {
  return loans.reduce((sum, loan) => (loan.end === "running" ? sum - loan.resultSats : sum), resultSats);
}

/**
 * The yearly yield of the loans that have ended, on their principal for the time for which it was lent, in percent;
 * null without any.
 */
export function endedYield({ loans }: Pick<Backtest, "loans">): number | null {
  let [result, satDays] = [0, 0];
  for (const { end, beganAt, until, principalSats, resultSats } of loans) {
    if (end === "running") continue;
    result += Number(resultSats);
    satDays += (Number(principalSats) * (until - beganAt)) / DAY_MS;
  }
  return satDays === 0 ? null : (result / satDays) * YEAR_DAYS * 100;
}

/** The result so far, in sats, from the first day to the last; each loan counts when it ends. */
export function earnedHistory(
  report: Pick<Backtest, "from" | "until" | "loans" | "resultSats">,
): HistoryPoint[] {
  const { from, until, loans } = report;
  const ended = loans.filter(({ end }) => end !== "running");
  // Of very many loans only the latest are listed.
  let sum = endedResult(report) - ended.reduce((listed, loan) => listed + loan.resultSats, 0n);
  const points: HistoryPoint[] = [{ atMs: from, value: Number(sum) }];
  for (const loan of ended.sort((one, other) => one.until - other.until)) {
    sum += loan.resultSats;
    points.push({ atMs: Math.max(loan.until, from), value: Number(sum) });
  }
  points.push({ atMs: Math.max(until, from + 1), value: Number(sum) });
  return points;
}
