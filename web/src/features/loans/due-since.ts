import type { Loan } from "@/shared/api/loan";
import { isOver } from "./loan-state";

/** A moment that has passed, and what has been so since then. */
export interface DueSince {
  atMs: number;
  label: string;
}

/** Since when a loan that has no time left can be claimed; null while it has some, or once it is over. */
export function dueSince(loan: Loan, nowMs: number): DueSince | null {
  if (isOver(loan) || loan.dueAt === null) return null;
  // An extension moves the due date of the loan that it ends, whose script keeps the earlier moment.
  const claimableAt = Math.max(loan.dueAt, loan.claimAfter);
  if (nowMs < claimableAt) return null;
  return loan.stage === "claiming"
    ? { atMs: loan.dueAt, label: "was due" }
    : { atMs: claimableAt, label: "claimable since" };
}
