import { type LoanFigures, loanFigures } from "@/shared/api/loan-figures";
import { type LendDraft, ltvOf, principalOf } from "./lend-draft";

export interface LendSummary extends LoanFigures {
  /** Principal of all offers together. */
  totalSats: bigint;
  /** Basis points; null without an amount or a price. */
  ltvBps: number | null;
}

/** What stands beside the button: what comes back of one offer, or what several lend together. */
export function footerTotal(
  summary: LendSummary,
  together: { count: number; totalSats: bigint },
): { label: string; sats: bigint } | null {
  if (together.count > 1) return { label: `${together.count} offers lend`, sats: together.totalSats };
  return summary.principalSats === 0n ? null : { label: "You are repaid", sats: summary.payoutSats };
}

/** Everything the breakdown shows. */
export function calculateSummary(draft: LendDraft): LendSummary {
  const principalSats = principalOf(draft);
  return {
    ...loanFigures(principalSats, draft.target, draft.target.platformFee),
    totalSats: principalSats * BigInt(draft.count),
    ltvBps: ltvOf(draft.target, principalSats),
  };
}
