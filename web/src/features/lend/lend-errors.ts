import { LTV_END_BPS } from "@/shared/api/loan-to-value";
import { formatBtcExact } from "@/shared/format/sats";
import { type LendDraft, LTV_CEILING_PERCENT, ltvOf, principalOf } from "./lend-draft";
import { pegErrors } from "./peg-errors";

export const INSUFFICIENT_BTC = "Insufficient BTC balance";

/**
 * The reasons why the offer cannot be created, most important first. An empty amount is no error: there is
 * nothing to create yet.
 *
 * `balanceSats` is the lender's spendable balance, null while it is unknown.
 */
export function getErrors(draft: LendDraft, balanceSats: bigint | null): string[] {
  const principalSats = principalOf(draft);
  const isUnfunded = balanceSats !== null && principalSats >= balanceSats;
  if (draft.peg !== null) {
    const texts = pegErrors(draft.peg, draft.target).map(({ text }) => text);
    return principalSats > 0n && isUnfunded ? [...texts, INSUFFICIENT_BTC] : texts;
  }
  const ltv = ltvOf(draft.target, principalSats);
  const errors: string[] = [];
  if (draft.wasReset || (ltv !== null && ltv >= LTV_END_BPS)) {
    errors.push(`Offer cannot be above ${LTV_CEILING_PERCENT}% LTV`);
  }
  if (principalSats === 0n) return errors;
  const { minOfferSats } = draft.target;
  if (principalSats < minOfferSats) errors.push(`Below min offer of ₿${formatBtcExact(minOfferSats)}`);
  if (isUnfunded) errors.push(INSUFFICIENT_BTC);
  return errors;
}
