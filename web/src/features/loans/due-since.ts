import type { Loan } from "@/shared/api/loan";
import { isOver } from "./loan-state";

/** A moment that has passed, and what has been so since then. */
export interface DueSince {
  atMs: number;
  label: string;
}

/** Since when a loan that has no time left can be claimed; null while it has some, or once it is over. */
export function dueSince(loan: Loan, nowMs: number): DueSince | null {
  if (isOver(loan) || loan.dueAt === null || nowMs < loan.claimAfter) return null;
  return loan.stage === "claiming"
    ? { atMs: loan.dueAt, label: "was due" }
    : { atMs: loan.claimAfter, label: "claimable since" };
}
