import { LTV_END_BPS } from "@/shared/api/loan-to-value";
import { type Peg, type PegBounds, type PegLevel, pegLevelAt } from "@/shared/api/peg";
import { amountSats, amountText, roundedDown, typedAmount } from "@/shared/format/btc-amount";
import { typedBps } from "@/shared/format/percent";
import type { LendTarget } from "./lend-draft";

/** The bounds within which the principal follows the floor, as typed. */
export interface PegDraft {
  /** The share of the floor, in percent. */
  shareText: string;
  leastText: string;
  mostText: string;
}

export type PegField = keyof PegDraft;

/** The lowest and highest share of the floor, in basis points. */
export const SHARE_MIN_BPS = 100;
export const SHARE_MAX_BPS = LTV_END_BPS - 100;

/** The parts of a target that bounds depend on. */
export type PegTarget = Pick<LendTarget, "price" | "raw" | "decimals" | "minOfferSats" | "maxOfferSats">;

/** Bounds around a principal: its share of the floor, down to half of it and up to half as much again. */
export function startedPeg(
  { minOfferSats, maxOfferSats }: PegTarget,
  principalSats: bigint,
  sharePercent: number,
): PegDraft {
  const half = roundedDown(principalSats / 2n);
  const most = roundedDown((principalSats * 3n) / 2n);
  return {
    shareText: String(Math.round(sharePercent)),
    leastText: amountText(half < minOfferSats ? minOfferSats : half),
    mostText: amountText(most > maxOfferSats ? maxOfferSats : most),
  };
}

/** The bounds of an existing offer. */
export function editedPeg({ ltv, minSats, maxSats }: Peg): PegDraft {
  return { shareText: String(ltv), leastText: amountText(minSats), mostText: amountText(maxSats) };
}

/** The bounds after typing in one of their fields; input that is not a number is ignored. */
export function typedPeg(peg: PegDraft, field: PegField, text: string, maxOfferSats: bigint): PegDraft {
  if (field !== "shareText") return { ...peg, [field]: typedAmount(peg[field], text, maxOfferSats) };
  const typed = text.trim().replace(",", ".");
  return /^\d{0,3}(\.\d{0,2})?$/.test(typed) ? { ...peg, shareText: typed } : peg;
}

/** The bounds with the share moved by percents, within its limits. */
export function nudgedPeg(peg: PegDraft, byPercent: number): PegDraft {
  const bps = (shareBps(peg) ?? 0) + byPercent * 100;
  return { ...peg, shareText: String(Math.min(SHARE_MAX_BPS, Math.max(SHARE_MIN_BPS, bps)) / 100) };
}

/** The bounds as one text that is equal for equal ones, however they were typed. */
export function pegKey(peg: PegDraft | null): string {
  if (peg === null) return "fixed";
  return `${shareBps(peg)}/${amountSats(peg.leastText)}/${amountSats(peg.mostText)}`;
}

/** The share of the floor in basis points; null without a number. */
export function shareBps({ shareText }: PegDraft): number | null {
  return typedBps(shareText);
}

/** The bounds; null while they are incomplete or contradictory. */
export function pegBounds(peg: PegDraft, { raw, decimals }: PegTarget): PegBounds | null {
  const ltvBps = shareBps(peg);
  const minSats = amountSats(peg.leastText);
  const maxSats = amountSats(peg.mostText);
  if (ltvBps === null || ltvBps < SHARE_MIN_BPS || raw === 0n) return null;
  if (minSats === 0n || minSats > maxSats) return null;
  return { ltvBps, minSats, maxSats, raw, decimals };
}

/** The principal at the current price, and when it changes; null while bounds or price are missing. */
export function pegLevel(peg: PegDraft, target: PegTarget): PegLevel | null {
  const bounds = pegBounds(peg, target);
  return bounds === null || target.price === null ? null : pegLevelAt(bounds, target.price);
}
