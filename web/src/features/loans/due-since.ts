import type { Loan } from "@/shared/api/loan";
import { isOver } from "./loan-state";

/** A time in the past, and the state that began with it. */
export interface DueSince {
  atMs: number;
  label: string;
}

/** The time since which a loan can be claimed; null while it has time left, or once it is over. */
export function dueSince(loan: Loan, nowMs: number): DueSince | null {
  if (isOver(loan) || loan.dueAt === null) return null;
  // An extension moves the due date of the loan that it ends, whose script keeps the earlier time.
  const claimableAt = Math.max(loan.dueAt, loan.claimAfter);
  if (nowMs < claimableAt) return null;
  return loan.stage === "claiming"
    ? { atMs: loan.dueAt, label: "was due" }
    : { atMs: claimableAt, label: "claimable since" };
}
