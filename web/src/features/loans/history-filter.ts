import type { Loan } from "@/shared/api/loan";
import type { HistoryFilter } from "./loan-requests";

/** The endings of a loan that the history can be filtered by. */
export const ENDINGS = [
  { id: "all", label: "All", stages: [] },
  { id: "repaid", label: "Repaid", stages: ["repaid"] },
  { id: "claimed", label: "Claimed", stages: ["claimed"] },
  { id: "never", label: "Not started", stages: ["cancelled", "lapsed", "failed"] },
] as const;
export type EndingId = (typeof ENDINGS)[number]["id"];

export const ROLES = [
  { id: "all", label: "All", role: null },
  { id: "borrower", label: "Borrowed", role: "borrower" },
  { id: "lender", label: "Lent", role: "lender" },
] as const;
export type RoleId = (typeof ROLES)[number]["id"];

export interface HistoryView {
  role: RoleId;
  ending: EndingId;
}

/** The server's filter for a view. */
export function historyFilter({ role, ending }: HistoryView): HistoryFilter {
  return {
    role: ROLES.find(({ id }) => id === role)?.role ?? null,
    stages: ENDINGS.find(({ id }) => id === ending)?.stages ?? [],
  };
}

/** The outcome of an ended loan for the user, in sats; null when it never started. */
export function outcomeSats(loan: Loan): bigint | null {
  const isLender = loan.role === "lender";
  const fee = loan.platformFeeSats ?? 0n;
  if (loan.stage === "repaid") return isLender ? loan.interestSats - fee : -loan.interestSats;
  // Unknown where the collateral was given or kept for the principal: its value is not known here.
  return null;
}
