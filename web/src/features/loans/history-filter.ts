import type { Loan } from "@/shared/api/loan";
import type { HistoryFilter } from "./loan-requests";

/** How a loan ended, as the history is filtered by it. */
export const ENDINGS = [
  { id: "all", label: "All", stages: [] },
  { id: "repaid", label: "Repaid", stages: ["repaid"] },
  { id: "claimed", label: "Claimed", stages: ["claimed"] },
  { id: "never", label: "Not started", stages: ["cancelled", "lapsed", "failed"] },
] as const;
export type EndingId = (typeof ENDINGS)[number]["id"];

export const SIDES = [
  { id: "all", label: "All", role: null },
  { id: "borrower", label: "Borrowed", role: "borrower" },
  { id: "lender", label: "Lent", role: "lender" },
] as const;
export type SideId = (typeof SIDES)[number]["id"];

export interface HistoryView {
  side: SideId;
  ending: EndingId;
}

/** What the server is asked for. */
export function historyFilter({ side, ending }: HistoryView): HistoryFilter {
  return {
    role: SIDES.find(({ id }) => id === side)?.role ?? null,
    stages: ENDINGS.find(({ id }) => id === ending)?.stages ?? [],
  };
}

/** What a loan that ended came to for its reader, in sats; null when it never began. */
export function outcomeSats(loan: Loan): bigint | null {
  const isLender = loan.role === "lender";
  const fee = loan.platformFeeSats ?? 0n;
  if (loan.stage === "repaid") return isLender ? loan.interestSats - fee : -loan.interestSats;
  // Whoever gave or kept the collateral for the principal: its worth is not known here.
  return null;
}
