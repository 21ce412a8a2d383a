import { type Collection, decimalsOf } from "@/shared/api/collection";
import type { Loan, LoanRole } from "@/shared/api/loan";
import { loanToValueBps } from "@/shared/api/loan-to-value";
import { pledgedRaw } from "@/shared/api/pledge";
import { outcomeSats } from "./history-filter";

const DAY_MS = 86_400_000;

/** A sum from a time on. */
export interface SeriesPoint {
  atMs: number;
  sats: bigint;
}

/** A change of a sum by `sats` at a time. */
interface Change {
  atMs: number;
  sats: bigint;
}

/** Principal that was running at each time: it grows when a loan starts and falls when it ends. */
export function runningSeries(loans: readonly Loan[], role: LoanRole, nowMs: number): SeriesPoint[] {
  const changes = loans
    .filter((loan) => loan.role === role && loan.startedAt !== null)
    .flatMap(({ startedAt, endedAt, principal }): Change[] => [
      { atMs: startedAt ?? 0, sats: principal },
      ...(endedAt === null ? [] : [{ atMs: endedAt, sats: -principal }]),
    ]);
  return summed(changes, nowMs);
}

/** The lender's earnings of each repaid loan, after the platform fee. */
function earnings(loans: readonly Loan[]): Change[] {
  return loans
    .filter(({ role }) => role === "lender")
    .flatMap((loan) => {
      const sats = outcomeSats(loan);
      return sats === null ? [] : [{ atMs: loan.endedAt ?? loan.updatedAt, sats }];
    });
}

/** Interest that a lender has earned up to each time, after the platform fees of the same loans. */
export function earnedSeries(loans: readonly Loan[], nowMs: number): SeriesPoint[] {
  return summed(earnings(loans), nowMs);
}

/** Total interest that a lender has earned, after the platform fees of the same loans. */
export function earnedSats(loans: readonly Loan[]): bigint {
  return earnings(loans).reduce((sum, { sats }) => sum + sats, 0n);
}

function summed(changes: Change[], nowMs: number): SeriesPoint[] {
  const ordered = changes.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
  const points: SeriesPoint[] = [];
  let sum = 0n;
  for (const { atMs, sats } of ordered) {
    sum += sats;
    const last = points.at(-1);
    // Changes in the same block are one step.
    if (last?.atMs === atMs) last.sats = sum;
    else points.push({ atMs, sats: sum });
  }
  if (points.length > 0) points.push({ atMs: nowMs, sats: sum });
  return points;
}

/** Principal that is due within a range of days. */
export interface DueBucket {
  label: string;
  lentSats: bigint;
  borrowedSats: bigint;
  count: number;
}

const SPANS: ReadonlyArray<{ label: string; untilDays: number }> = [
  { label: "Overdue", untilDays: 0 },
  { label: "3 days", untilDays: 3 },
  { label: "7 days", untilDays: 7 },
  { label: "14 days", untilDays: 14 },
  { label: "30 days", untilDays: 30 },
  { label: "Later", untilDays: Number.POSITIVE_INFINITY },
];

/** Outstanding principal by due date. Every loan with a due date is in exactly one bucket. */
export function dueBuckets(loans: readonly Loan[], nowMs: number): DueBucket[] {
  const buckets = SPANS.map(({ label }) => ({ label, lentSats: 0n, borrowedSats: 0n, count: 0 }));
  for (const { dueAt, endedAt, principal, role } of loans) {
    if (dueAt === null || endedAt !== null) continue;
    const bucket = buckets[SPANS.findIndex(({ untilDays }) => dueAt <= nowMs + untilDays * DAY_MS)];
    if (!bucket) continue;
    bucket.count += 1;
    if (role === "lender") bucket.lentSats += principal;
    else bucket.borrowedSats += principal;
  }
  return buckets;
}

/** The current LTV of a loan in percent; null without a price. */
export function loanLtv(loan: Loan, row: Collection | undefined): number | null {
  if (!row || row.unitPrice === null) return null;
  const bps = loanToValueBps(loan.principal, pledgedRaw(loan), decimalsOf(row), row.unitPrice);
  return bps === null ? null : bps / 100;
}
