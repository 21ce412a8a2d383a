import type { Backtest } from "@/shared/api/backtest";
import type { HistoryPoint } from "@/shared/ui/history-shape";

/** The result of the loans that have ended: of one that runs, only the fee is known. */
export function endedResult({ loans, resultSats }: Pick<Backtest, "loans" | "resultSats">): bigint {
  return loans.reduce((sum, loan) => (loan.end === "running" ? sum - loan.resultSats : sum), resultSats);
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
