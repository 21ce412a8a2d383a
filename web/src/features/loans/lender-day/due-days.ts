import type { Loan } from "@/shared/api/loan";

/** The loans that are due on one day of the user's calendar. */
export interface DueDay {
  /** Start of the day. */
  atMs: number;
  count: number;
  /** The sum to be repaid, interest included. */
  payoutSats: bigint;
}

/** What is due today, from now on, and on each of the days after it. Overdue loans are on no day. */
export function dueDays(loans: readonly Loan[], days: number, nowMs: number): DueDay[] {
  const now = new Date(nowMs);
  // Days are counted by date: one with a clock change does not have 24 hours.
  const startOf = (day: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + day).getTime();
  return Array.from({ length: days }, (_, day) => {
    const [from, to] = [startOf(day), startOf(day + 1)];
    const due = loans.filter(({ dueAt }) => dueAt !== null && dueAt >= Math.max(from, nowMs) && dueAt < to);
    return {
      atMs: from,
      count: due.length,
      payoutSats: due.reduce((sum, { payoutSats }) => sum + payoutSats, 0n),
    };
  });
}

/** The total of several days. */
export function dueTotal(days: readonly DueDay[]): Omit<DueDay, "atMs"> {
  return {
    count: days.reduce((sum, { count }) => sum + count, 0),
    payoutSats: days.reduce((sum, { payoutSats }) => sum + payoutSats, 0n),
  };
}

/** `Today`, `Tomorrow`, then weekday and day of the month. */
export function dayLabel({ atMs }: Pick<DueDay, "atMs">, position: number): string {
  if (position === 0) return "Today";
  if (position === 1) return "Tomorrow";
  return new Date(atMs).toLocaleDateString("en-GB", { weekday: "short", day: "numeric" });
}
