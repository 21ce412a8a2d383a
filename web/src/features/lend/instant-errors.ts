import { LTV_END_BPS } from "@/shared/api/loan-to-value";
import { formatBps } from "@/shared/format/percent";
import { formatBtcExact } from "@/shared/format/sats";
import { type InstantDraft, maxLtvPercent } from "./instant-draft";
import { LTV_CEILING_PERCENT, ltvOf, principalOf } from "./lend-draft";
import { pegErrors } from "./peg-errors";

export const INSUFFICIENT_VAULT = "Insufficient vault balance";
const ABOVE_CEILING = `Offer cannot be above ${LTV_CEILING_PERCENT}% LTV`;

export interface InstantError {
  field: "amount" | "maxLtv";
  text: string;
}

/**
 * The reasons why the offer cannot be created, most important first. An empty amount is no error: there is
 * nothing to create yet.
 *
 * `usableSats` is the vault's usable balance, null while it is unknown or there is no vault.
 */
export function getErrors(draft: InstantDraft, usableSats: bigint | null): InstantError[] {
  return [...amountErrors(draft, usableSats), ...maxLtvErrors(draft)];
}

/** The LTV of the draft in basis points; null without an amount, tokens or a price. */
function ltvBpsOf({ offer }: InstantDraft): number | null {
  return ltvOf(offer.target, principalOf(offer));
}

function amountErrors(draft: InstantDraft, usableSats: bigint | null): InstantError[] {
  const { offer, target } = draft;
  const principalSats = principalOf(offer);
  const isUnfunded = usableSats !== null && principalSats > usableSats;
  if (offer.peg !== null) {
    const texts = pegErrors(offer.peg, offer.target).map(({ text }) => text);
    if (isUnfunded) texts.push(INSUFFICIENT_VAULT);
    return texts.map((text) => ({ field: "amount", text }));
  }
  const ltv = ltvBpsOf(draft);
  const texts: string[] = [];
  if (target.isRune) {
    const cap = Math.min(LTV_CEILING_PERCENT, maxLtvPercent(draft) ?? LTV_CEILING_PERCENT);
    if (ltv !== null && ltv > cap * 100) texts.push(`LTV larger than ${cap}%`);
  } else if (offer.wasReset || (ltv !== null && ltv >= LTV_END_BPS)) {
    texts.push(ABOVE_CEILING);
  }
  if (principalSats > 0n) {
    const { minOfferSats } = target;
    if (principalSats < minOfferSats) texts.push(`Below min offer of ₿${formatBtcExact(minOfferSats)}`);
    if (isUnfunded) texts.push(INSUFFICIENT_VAULT);
  }
  return texts.map((text) => ({ field: "amount", text }));
}

function maxLtvErrors(draft: InstantDraft): InstantError[] {
  if (draft.offer.peg !== null) return [];
  const percent = maxLtvPercent(draft);
  const ltv = ltvBpsOf(draft);
  const error = (text: string): InstantError[] => [{ field: "maxLtv", text }];
  if (percent === null || percent < 1) return error("Enter a valid max LTV value");
  if (percent > LTV_CEILING_PERCENT) return error(ABOVE_CEILING);
  if (ltv === null) return [];
  // For runes the amount is the cause, and has an error of its own.
  if (percent * 100 < ltv) return draft.target.isRune ? [] : error(`Below current LTV of ${formatBps(ltv)}`);
  const least = Math.min(LTV_CEILING_PERCENT, Math.ceil(ltv / 100 + draft.target.minLtvGap));
  if (draft.target.isRune && percent < least) return error(`Max LTV must be at least ${least}%`);
  return [];
}

/** Whether there is an offer to create: with tokens and a principal, and without errors. */
export function isComplete(draft: InstantDraft): boolean {
  const { offer } = draft;
  const hasLimit = offer.peg !== null || maxLtvPercent(draft) !== null;
  return principalOf(offer) > 0n && offer.target.raw > 0n && hasLimit;
}
