import { type LoanFigures, loanFigures } from "@/shared/api/loan-figures";
import { type LendDraft, ltvOf, principalOf } from "./lend-draft";

export interface LendSummary extends LoanFigures {
  /** Principal of all offers together. */
  totalSats: bigint;
  /** Basis points; null without an amount or a price. */
  ltvBps: number | null;
}

/** The total next to the button: the return of one offer, or the sum that several lend. */
export function footerTotal(
  summary: LendSummary,
  together: { count: number; totalSats: bigint },
): { label: string; sats: bigint } | null {
  if (together.count > 1) return { label: `${together.count} offers lend`, sats: together.totalSats };
  return summary.principalSats === 0n ? null : { label: "You are repaid", sats: summary.payoutSats };
}

/** The figures of the breakdown. */
export function calculateSummary(draft: LendDraft): LendSummary {
  const principalSats = principalOf(draft);
  return {
    ...loanFigures(principalSats, draft.target, draft.target.platformFee),
    totalSats: principalSats * BigInt(draft.count),
    ltvBps: ltvOf(draft.target, principalSats),
  };
}
