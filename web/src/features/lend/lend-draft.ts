import type { PlatformFee } from "@/shared/api/loan-figures";
import { LTV_END_BPS, loanToValueBps } from "@/shared/api/loan-to-value";
import type { Peg } from "@/shared/api/peg";
import {
  AMOUNT_STEP_SATS,
  amountSats,
  amountText,
  roundedDown,
  typedAmount,
} from "@/shared/format/btc-amount";
import {
  editedPeg,
  nudgedPeg,
  type PegDraft,
  type PegField,
  pegLevel,
  startedPeg,
  typedPeg,
} from "./peg-draft";

/** The displayed ceiling of an offer's LTV, one percent below its end. */
export const LTV_CEILING_PERCENT = 98;
/** Scale of prices, which are sats per whole unit times this. */
export const PRICE_SCALE = 100_000_000n;
const DEFAULT_LTV_PERCENT = 50;

/** The target of an offer: one sub-collection at the current market price. */
export interface LendTarget {
  subCollectionId: string;
  collectionSlug: string;
  /** Sats per whole unit times 10^8; null while no price is known. */
  price: bigint | null;
  /** Collateral of one offer, in the smallest unit, which has `decimals` decimals. */
  raw: bigint;
  decimals: number;
  interestBps: number;
  termDays: number;
  /** The platform's share of the interest; null without one. */
  platformFee: PlatformFee | null;
  /** The available sum of the best offer; null without offers. */
  bestOfferSats: bigint | null;
  minOfferSats: bigint;
  maxOfferSats: bigint;
  countMax: number;
  /** Step of the slider in percent; 1 by default. */
  ltvStep?: 0.1;
}

export interface LendDraft {
  target: LendTarget;
  /** Text of the amount field; a fixed principal is always parsed from it. */
  amountText: string;
  /** The bounds within which the principal follows the floor; null while it is fixed. */
  peg: PegDraft | null;
  /**
   * Position of the LTV slider. It is stored, because an amount in steps of 0.00001 cannot hit every percent.
   */
  ltvPercent: number;
  count: number;
  /** The amount was above the ceiling and has been reset; shown until the next input. */
  wasReset: boolean;
}

export type LendAction =
  | { type: "amountTyped"; text: string }
  | { type: "amountStepped"; steps: number }
  | { type: "amountLeft" }
  | { type: "ltvSet"; percent: number }
  | { type: "ltvNudged"; by: 1 | -1 }
  | { type: "pegSet"; isPegged: boolean }
  | { type: "pegTyped"; field: PegField; text: string }
  | { type: "countSet"; count: number }
  | { type: "targetChosen"; target: LendTarget }
  | { type: "marketMoved"; target: LendTarget };

/** The principal now; zero while there is none. */
export function principalOf({ amountText: text, peg, target }: LendDraft): bigint {
  return peg === null ? amountSats(text) : (pegLevel(peg, target)?.principalSats ?? 0n);
}

/** The exact LTV of the draft in basis points; null without an amount or a price. */
export function ltvOf({ raw, decimals, price }: LendTarget, principalSats: bigint): number | null {
  if (principalSats === 0n || price === null) return null;
  return loanToValueBps(principalSats, raw, decimals, price);
}

function clamped(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : min;
}

/** The LTV slider's position for an amount. */
function sliderPercent(draft: LendDraft): number {
  const ltv = ltvOf(draft.target, principalOf(draft));
  if (ltv === null) return draft.ltvPercent;
  return sliderPosition(draft.target, ltv / 100);
}

/** The nearest possible position of the slider. */
function sliderPosition({ ltvStep }: LendTarget, percent: number): number {
  if (ltvStep === undefined) return clamped(percent, 1, LTV_CEILING_PERCENT);
  return clamped(percent * 10, 10, LTV_CEILING_PERCENT * 10) / 10;
}

/** The value of the collateral, in sats; null while no price is known. */
export function collateralValue({ price, raw, decimals }: LendTarget): bigint | null {
  return price === null ? null : (price * raw) / (PRICE_SCALE * 10n ** BigInt(decimals));
}

function amountAtPercent(target: LendTarget, percent: number): bigint | null {
  const value = collateralValue(target);
  return value === null ? null : roundedDown((value * BigInt(Math.round(percent * 10))) / 1_000n);
}

function atMost({ maxOfferSats }: LendTarget, sats: bigint): bigint {
  return sats > maxOfferSats ? maxOfferSats : sats;
}

/**
 * The best offer, or half of the collateral's value where there is none or where it is now above the ceiling.
 */
function defaultAmount(target: LendTarget): bigint {
  const best = target.bestOfferSats === null ? 0n : roundedDown(target.bestOfferSats);
  const ltv = ltvOf(target, best);
  if (best > 0n && (ltv === null || ltv < LTV_END_BPS)) return best;
  return atMost(target, amountAtPercent(target, DEFAULT_LTV_PERCENT) ?? 0n);
}

/** The draft with another principal, and the slider at its LTV. */
export function withAmount(draft: LendDraft, sats: bigint): LendDraft {
  const next = { ...draft, amountText: amountText(sats), wasReset: false };
  return { ...next, ltvPercent: sliderPercent(next) };
}

function withLtv(draft: LendDraft, percent: number): LendDraft {
  const ltvPercent = sliderPosition(draft.target, percent);
  const sats = amountAtPercent(draft.target, ltvPercent);
  if (sats === null) return draft;
  if (sats > draft.target.maxOfferSats) return withAmount(draft, draft.target.maxOfferSats);
  return { ...draft, ltvPercent, amountText: amountText(sats), wasReset: false };
}

/** A draft of a new offer, with the defaults of its sub-collection. */
export function newDraft(target: LendTarget): LendDraft {
  const empty: LendDraft = {
    target,
    amountText: "",
    peg: null,
    ltvPercent: DEFAULT_LTV_PERCENT,
    count: 1,
    wasReset: false,
  };
  return withAmount(empty, defaultAmount(target));
}

/** A draft that starts from an existing offer. */
export function editDraft(target: LendTarget, principalSats: bigint, peg: Peg | null = null): LendDraft {
  return { ...withAmount(newDraft(target), principalSats), peg: peg && editedPeg(peg) };
}

/** The draft with a principal that follows the floor from now on, or is fixed at the present one. */
function withPeg(draft: LendDraft, isPegged: boolean): LendDraft {
  const isKnown = draft.target.price !== null;
  if (isPegged === (draft.peg !== null) || (isPegged && !isKnown)) return draft;
  const principalSats = principalOf(draft);
  if (isPegged) {
    return { ...draft, wasReset: false, peg: startedPeg(draft.target, principalSats, draft.ltvPercent) };
  }
  const fixed = { ...draft, peg: null };
  return principalSats === 0n ? fixed : withAmount(fixed, principalSats);
}

/** Applies an action to the draft, the only way to change it. */
export function reducer(draft: LendDraft, action: LendAction): LendDraft {
  switch (action.type) {
    case "amountTyped": {
      const typed = typedAmount(draft.amountText, action.text, draft.target.maxOfferSats);
      const next = { ...draft, amountText: typed, wasReset: false };
      return { ...next, ltvPercent: sliderPercent(next) };
    }
    case "amountStepped": {
      const moved = principalOf(draft) + BigInt(clamped(action.steps, -1_000, 1_000)) * AMOUNT_STEP_SATS;
      return withAmount(draft, moved < 0n ? 0n : atMost(draft.target, moved));
    }
    case "amountLeft": {
      // Only on leaving the field: a reset while typing would corrupt the input.
      const ltv = ltvOf(draft.target, principalOf(draft));
      if (ltv === null || ltv < LTV_END_BPS) return draft;
      return { ...withAmount(draft, defaultAmount(draft.target)), wasReset: true };
    }
    case "ltvSet":
      return withLtv(draft, action.percent);
    case "ltvNudged":
      if (draft.peg !== null) return { ...draft, peg: nudgedPeg(draft.peg, action.by) };
      return withLtv(draft, draft.ltvPercent + action.by);
    case "pegSet":
      return withPeg(draft, action.isPegged);
    case "pegTyped": {
      if (draft.peg === null) return draft;
      const { maxOfferSats } = draft.target;
      return { ...draft, peg: typedPeg(draft.peg, action.field, action.text, maxOfferSats) };
    }
    case "countSet":
      return { ...draft, count: clamped(action.count, 1, draft.target.countMax) };
    case "targetChosen":
      return withPeg({ ...newDraft(action.target), count: draft.count }, draft.peg !== null);
    case "marketMoved": {
      // The offer is defined by its principal: when the price moves, the LTV follows and the amount stays.
      const next = { ...draft, target: action.target };
      return { ...next, ltvPercent: sliderPercent(next) };
    }
  }
}
