import type { MyOffer } from "@/shared/api/my-offer";
import { roundedDown } from "@/shared/format/btc-amount";
import { formatBtcExact } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import {
  collateralValue,
  editDraft,
  type LendAction,
  type LendDraft,
  type LendTarget,
  LTV_CEILING_PERCENT,
  ltvOf,
  newDraft,
  PRICE_SCALE,
  principalOf,
  reducer as reduceLend,
  withAmount,
} from "./lend-draft";

/** The additional market data of instant offers, which pause by themselves. */
export interface InstantTarget extends LendTarget {
  /** Whether the lender sets the maximum of tokens; otherwise it is one inscription. */
  isRune: boolean;
  /** The default distance of the max LTV above the LTV, in percent. */
  maxLtvOffset: number;
  /** The minimum distance of the two for a rune offer, in percent. */
  minLtvGap: number;
  /** The tokens and the principal of the best offer, from which a rune offer starts; null without one. */
  bestQuote: { raw: bigint; principalSats: bigint } | null;
}

export interface InstantDraft {
  target: InstantTarget;
  /** Principal, LTV and count; the raw amount of its target is parsed from `tokensText`. */
  offer: LendDraft;
  /** Runes only: the maximum of tokens to accept. */
  tokensText: string;
  /** The principal before fewer tokens lowered it; null while nothing did. */
  chosenSats: bigint | null;
  /** Whole percents. */
  maxLtvText: string;
  /** Set by hand, so it no longer follows the LTV. */
  isMaxLtvOwn: boolean;
  acceptNextTerm: boolean;
}

export type InstantAction =
  | { type: "offer"; action: Exclude<LendAction, { type: "targetChosen" | "marketMoved" }> }
  | { type: "tokensTyped"; text: string }
  | { type: "maxLtvTyped"; text: string }
  | { type: "maxLtvLeft" }
  | { type: "acceptNextTermSet"; accepted: boolean }
  | { type: "targetChosen"; target: InstantTarget }
  | { type: "marketMoved"; target: InstantTarget };

/** Token value that a rune offer starts from when there is no other offer. */
const USUAL_VALUE_SATS = 2_000_000n;
/** The server accepts amounts of up to 128 bits. */
const TOKENS_DIGITS_MAX = 30;

/** Raw units of the tokens field's text, zero when it is not an amount yet. */
export function tokensRaw(text: string, decimals: number): bigint {
  const match = /^(\d*)(?:\.(\d*))?$/.exec(text);
  const [whole = "", fraction = ""] = match ? match.slice(1) : [];
  return BigInt(`${whole}${fraction.slice(0, decimals).padEnd(decimals, "0")}` || "0");
}

function tokensText(raw: bigint, decimals: number): string {
  return raw > 0n ? formatTokenAmount(raw, decimals).replaceAll(",", "") : "";
}

/** Text of the tokens field after typing: no more decimals than the rune has, and only numbers. */
function typedTokens(previous: string, next: string, decimals: number): string {
  const text = next.trim().replaceAll(",", "");
  if (!/^\d*(\.\d*)?$/.test(text)) return previous;
  const [whole = "", fraction] = text.split(".");
  if (whole.length + decimals > TOKENS_DIGITS_MAX) return previous;
  return fraction === undefined || decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`;
}

/** The max LTV in percent; null while the field has none. */
export function maxLtvPercent({ maxLtvText }: InstantDraft): number | null {
  return maxLtvText === "" ? null : Number(maxLtvText);
}

/** The LTV plus the default offset, but at most the ceiling. */
function defaultMaxLtv({ offer, target }: InstantDraft): string {
  const ltv = ltvOf(offer.target, principalOf(offer));
  const percent = ltv === null ? offer.ltvPercent : ltv / 100;
  return String(Math.min(LTV_CEILING_PERCENT, Math.round(percent + target.maxLtvOffset)));
}

/**
 * An impossible percentage becomes the ceiling at once; one slightly above the limit stays, with an error.
 */
function typedPercent(text: string, percent: number): string {
  if (percent > 100) return String(LTV_CEILING_PERCENT);
  return /^\d+$/.test(text) ? text : String(percent);
}

function following(draft: InstantDraft): InstantDraft {
  return draft.isMaxLtvOwn ? draft : { ...draft, maxLtvText: defaultMaxLtv(draft) };
}

function withTokens(draft: InstantDraft, text: string): InstantDraft {
  const { target } = draft;
  const raw = target.isRune ? tokensRaw(text, target.decimals) : target.raw;
  const offer = reduceLend(draft.offer, { type: "marketMoved", target: { ...target, raw } });
  return following({ ...draft, tokensText: text, offer });
}

/** Tokens of a usual value, when no offer shows a usual amount. */
function usualTokens({ price, decimals }: InstantTarget): bigint {
  if (price === null) return 0n;
  const raw = (USUAL_VALUE_SATS * PRICE_SCALE * 10n ** BigInt(decimals)) / price;
  const step = 10n ** BigInt(Math.max(0, raw.toString().length - 2));
  return raw - (raw % step);
}

function started(target: InstantTarget, raw: bigint, isMaxLtvOwn: boolean): InstantDraft {
  const draft: InstantDraft = {
    target,
    offer: newDraft({ ...target, raw }),
    tokensText: target.isRune ? tokensText(raw, target.decimals) : "",
    chosenSats: null,
    maxLtvText: "",
    isMaxLtvOwn,
    acceptNextTerm: true,
  };
  return following(draft);
}

/** A draft of a new offer, with the defaults of its sub-collection. */
export function newInstantDraft(target: InstantTarget): InstantDraft {
  if (!target.isRune) return started(target, target.raw, false);
  const raw = target.bestQuote?.raw ?? usualTokens(target);
  const whole = { ...target, bestOfferSats: target.bestQuote?.principalSats ?? null };
  return { ...started(whole, raw, false), target };
}

/** The fields of an offer that its edit starts from. */
export type EditedOffer = Pick<
  MyOffer,
  "usedPrincipal" | "availablePrincipal" | "availableCollateral" | "maxLtv" | "peg" | "acceptsNextTerm"
>;

/**
 * A draft that starts from the remainder of an offer. An edit cancels the offer and creates a new one, so a
 * part that is lent already would otherwise be offered a second time.
 */
export function editInstantDraft(target: InstantTarget, offer: EditedOffer): InstantDraft {
  const raw = target.isRune ? offer.availableCollateral : target.raw;
  // Of one that follows the floor it is the share, from which a fixed principal needs a distance.
  const maxLtv = offer.peg === null ? offer.maxLtv : null;
  const draft = started(target, raw, maxLtv !== null);
  const edited = {
    ...draft,
    offer: editDraft({ ...target, raw }, offer.availablePrincipal, offer.peg),
    acceptNextTerm: offer.acceptsNextTerm,
  };
  if (maxLtv === null) return following(edited);
  return { ...edited, maxLtvText: String(Math.round(maxLtv)) };
}

/** Whether more of an offer was taken since its edit began, so that the draft would offer that part again. */
export function isOverspent(
  before: Pick<EditedOffer, "usedPrincipal">,
  now: Pick<EditedOffer, "usedPrincipal"> | undefined,
): boolean {
  return now !== undefined && now.usedPrincipal > before.usedPrincipal;
}

/** The lent part of an offer, for its edit; null without one. `now` is the current state of the offer. */
export function lentSoFarText(
  { usedPrincipal, availablePrincipal }: EditedOffer,
  now?: EditedOffer,
): string | null {
  if (now && isOverspent({ usedPrincipal }, now)) {
    return "A part of this offer was taken while you edited it. Close this and edit what remains.";
  }
  if (usedPrincipal === 0n) return null;
  return `${formatBtcExact(usedPrincipal)} BTC of this offer is lent already and is not affected. What you enter replaces the remaining ${formatBtcExact(availablePrincipal)} BTC.`;
}

/** Applies an action to the draft, the only way to change it. */
export function reducer(draft: InstantDraft, action: InstantAction): InstantDraft {
  switch (action.type) {
    case "offer": {
      // For runes, more tokens are the remedy for a large principal, so it is never lowered on leaving the
      // field.
      if (draft.target.isRune && action.action.type === "amountLeft") return draft;
      return following({ ...draft, chosenSats: null, offer: reduceLend(draft.offer, action.action) });
    }
    case "tokensTyped":
      return capped(draft, typedTokens(draft.tokensText, action.text, draft.target.decimals));
    case "maxLtvTyped": {
      const text = action.text.trim();
      if (text === "") return { ...draft, maxLtvText: text, isMaxLtvOwn: true };
      // Decimals of a pasted number are rounded; any other text is ignored.
      if (!/^\d{1,3}([.,]\d+)?$/.test(text)) return draft;
      const percent = Math.round(Number(text.replace(",", ".")));
      return { ...draft, maxLtvText: typedPercent(text, percent), isMaxLtvOwn: true };
    }
    case "maxLtvLeft": {
      const percent = maxLtvPercent(draft);
      if (percent === null) return draft;
      return { ...draft, maxLtvText: String(Math.min(LTV_CEILING_PERCENT, percent)) };
    }
    case "acceptNextTermSet":
      return { ...draft, acceptNextTerm: action.accepted };
    case "targetChosen": {
      const fresh = newInstantDraft(action.target);
      const { count, peg } = draft.offer;
      const pegged = reduceLend(fresh.offer, { type: "pegSet", isPegged: peg !== null });
      return {
        ...fresh,
        offer: reduceLend(pegged, { type: "countSet", count }),
        acceptNextTerm: draft.acceptNextTerm,
      };
    }
    case "marketMoved":
      return withTokens({ ...draft, target: action.target }, draft.tokensText);
  }
}

/**
 * Changes the tokens and caps the principal at the max LTV of their value. The cap applies while typing, to
 * the previous principal: on leaving the field it would change the next field unexpectedly.
 */
function capped(draft: InstantDraft, text: string): InstantDraft {
  const chosenSats = draft.chosenSats ?? principalOf(draft.offer);
  const typed = withTokens({ ...draft, chosenSats, offer: withAmount(draft.offer, chosenSats) }, text);
  const value = collateralValue(typed.offer.target);
  if (value === null || typed.offer.target.raw === 0n) return typed;
  const percent = Math.min(LTV_CEILING_PERCENT, maxLtvPercent(typed) ?? LTV_CEILING_PERCENT);
  const most = roundedDown((value * BigInt(percent)) / 100n);
  return chosenSats <= most ? typed : following({ ...typed, offer: withAmount(typed.offer, most) });
}
