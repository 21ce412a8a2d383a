import { loanToValueBps } from "@/shared/api/loan-to-value";
import { amountSats } from "@/shared/format/btc-amount";
import { formatBps } from "@/shared/format/percent";
import { formatBtcExact } from "@/shared/format/sats";
import type { PegDraft, PegField, PegTarget } from "./peg-draft";
import { SHARE_MAX_BPS, SHARE_MIN_BPS, shareBps } from "./peg-draft";

export interface PegError {
  field: PegField;
  text: string;
}

/**
 * The reasons why an offer cannot follow the floor within these bounds. An empty amount is no error: there is
 * nothing to create yet.
 */
export function pegErrors(peg: PegDraft, target: PegTarget): PegError[] {
  const share = shareBps(peg);
  const least = amountSats(peg.leastText);
  const most = amountSats(peg.mostText);
  const errors: PegError[] = [];
  if (share === null || share < SHARE_MIN_BPS) {
    errors.push({ field: "shareText", text: "Enter a share of 1% to 98%" });
  } else if (share > SHARE_MAX_BPS) {
    errors.push({ field: "shareText", text: `Offer cannot be above ${SHARE_MAX_BPS / 100}% LTV` });
  }
  if (least === 0n) return errors;
  if (least < target.minOfferSats) {
    errors.push({
      field: "leastText",
      text: `Below min offer of ₿${formatBtcExact(target.minOfferSats)}`,
    });
  }
  if (most > 0n && least > most) {
    errors.push({ field: "leastText", text: `Above the largest principal of ₿${formatBtcExact(most)}` });
  }
  const ltv = target.price === null ? null : loanToValueBps(least, target.raw, target.decimals, target.price);
  if (share !== null && share >= SHARE_MIN_BPS && share <= SHARE_MAX_BPS && ltv !== null && ltv > share) {
    errors.push({ field: "leastText", text: tooLarge(least, ltv, share) });
  }
  return errors;
}

function tooLarge(least: bigint, ltv: number, share: number): string {
  return `₿${formatBtcExact(least)} is at ${formatBps(ltv)} LTV now, above ${formatBps(share)}`;
}
