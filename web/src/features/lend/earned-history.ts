import type { Backtest } from "@/shared/api/backtest";
import type { HistoryPoint } from "@/shared/ui/history-shape";

const SATS_PER_BTC = 100_000_000;

/** The result so far, in BTC, from the first day to the last; each loan counts when it ends. */
export function earnedHistory({ from, until, loans, resultSats }: Backtest): HistoryPoint[] {
  const listed = loans.reduce((sum, loan) => sum + loan.resultSats, 0n);
  // Of very many loans only the latest are listed.
  let sum = resultSats - listed;
  const points: HistoryPoint[] = [{ atMs: from, value: Number(sum) / SATS_PER_BTC }];
  for (const loan of [...loans].sort((one, other) => one.until - other.until)) {
    sum += loan.resultSats;
    points.push({ atMs: Math.max(loan.until, from), value: Number(sum) / SATS_PER_BTC });
  }
  points.push({ atMs: Math.max(until, from + 1), value: Number(sum) / SATS_PER_BTC });
  return points;
}
