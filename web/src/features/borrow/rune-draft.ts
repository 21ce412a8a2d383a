import { interestOf } from "@/shared/api/loan-figures";
import { loanToValueBps } from "@/shared/api/loan-to-value";
import { FASTEST, type FeeChoice } from "@/shared/chain/fee-rate";
import { tokensText } from "@/shared/format/raw-tokens";
import type { BreakdownFigures } from "./borrow-breakdown";
import type { DraftError } from "./borrow-draft";
import type { RuneQuote } from "./rune-quotes";

/** Share of the balance that is pledged by default. */
const DEFAULT_PERCENT = 70n;

/** The current market and wallet. */
export interface RuneTarget {
  /** Null while they are loading. */
  quotes: readonly RuneQuote[] | null;
  /** Raw units in the wallet; null while unknown. */
  balance: bigint | null;
  decimals: number;
  /** Sats per whole token times 10^8; null while no price is known. */
  price: bigint | null;
  /** The offer chosen in the order book; null for any. */
  pinnedOfferId: string | null;
}

export interface RuneDraft {
  target: RuneTarget;
  /** Days; empty for all. */
  terms: number[];
  /** Text of the field; null until the default is known. */
  amountText: string | null;
  /** The selected card: the user's choice, or the one with the highest LTV. */
  offerId: string | null;
  fee: FeeChoice;
}

export type RuneAction =
  | { type: "marketMoved"; target: RuneTarget }
  | { type: "allTermsChosen" }
  | { type: "termToggled"; termDays: number }
  | { type: "amountTyped"; text: string }
  | { type: "amountSet"; raw: bigint }
  | { type: "offerChosen"; offerId: string }
  | { type: "feeChosen"; fee: FeeChoice };

/** The figures of an offer for the amount of the draft. */
export interface RuneCard {
  offerId: string;
  termDays: number;
  interestBps: number;
  principalSats: bigint;
  /** Basis points; null while no price is known. */
  ltvBps: number | null;
}

/** Raw units of a decimal text, with excess decimals cut off; null when it is not a number. */
export function parseTokens(text: string, decimals: number): bigint | null {
  const match = /^(\d{0,30})(?:\.(\d*))?$/.exec(text);
  if (!match) return null;
  const [, whole = "", fraction = ""] = match;
  if (whole === "" && fraction === "") return null;
  const kept = fraction.slice(0, decimals).padEnd(decimals, "0");
  return BigInt(whole || "0") * 10n ** BigInt(decimals) + BigInt(kept || "0");
}

function eligibleQuotes({ quotes, pinnedOfferId }: RuneTarget): readonly RuneQuote[] {
  if (!quotes) return [];
  return pinnedOfferId === null ? quotes : quotes.filter(({ offerId }) => offerId === pinnedOfferId);
}

/** The maximum that can be pledged: the balance, or the limit of the largest offer. */
export function maxRaw(target: RuneTarget): bigint {
  const largest = eligibleQuotes(target).reduce((most, { toRaw }) => (toRaw > most ? toRaw : most), 0n);
  return target.balance !== null && target.balance < largest ? target.balance : largest;
}

/** Raw units of the field's text; zero when it is not an amount. */
export function amountOf({ amountText, target }: RuneDraft): bigint {
  return parseTokens(amountText ?? "", target.decimals) ?? 0n;
}

/** The terms with offers, in days. */
export function termsOf(target: RuneTarget): number[] {
  return [...new Set(eligibleQuotes(target).map(({ termDays }) => termDays))].sort(
    (one, other) => one - other,
  );
}

/** 70 % of the balance in whole tokens, at least one. */
function defaultText(target: RuneTarget): string | null {
  const max = maxRaw(target);
  if (!target.quotes || max === 0n) return null;
  const one = 10n ** BigInt(target.decimals);
  const share = ((target.balance ?? max) * DEFAULT_PERCENT) / 100n;
  const rounded = ((share + one / 2n) / one) * one;
  const raw = rounded < one ? one : rounded;
  return tokensText(raw > max ? max : raw, target.decimals);
}

function ltvOf(quote: RuneQuote, { decimals, price }: RuneTarget): number | null {
  if (price === null) return null;
  return loanToValueBps(quote.availableSats, quote.availableRaw, decimals, price);
}

/** More sats for the same tokens is the higher LTV, and needs no price. */
function isHigher(one: RuneQuote, other: RuneQuote): boolean {
  return one.availableSats * other.availableRaw > other.availableSats * one.availableRaw;
}

/** The best offer for an amount in each selected term, the shortest first. */
function bestByTerm(draft: RuneDraft, raw: bigint): RuneQuote[] {
  const best = new Map<number, RuneQuote>();
  for (const quote of eligibleQuotes(draft.target)) {
    if (draft.terms.length > 0 && !draft.terms.includes(quote.termDays)) continue;
    if (raw < quote.fromRaw || raw > quote.toRaw) continue;
    const known = best.get(quote.termDays);
    if (!known || isHigher(quote, known)) best.set(quote.termDays, quote);
  }
  return [...best.values()].sort((one, other) => one.termDays - other.termDays);
}

function cardOf(quote: RuneQuote, raw: bigint, target: RuneTarget): RuneCard {
  return {
    offerId: quote.offerId,
    termDays: quote.termDays,
    interestBps: quote.interestBps,
    principalSats: (quote.availableSats * raw) / quote.availableRaw,
    ltvBps: ltvOf(quote, target),
  };
}

/** A card for each term with an offer for the amount. */
export function cardsOf(draft: RuneDraft): RuneCard[] {
  const raw = amountOf(draft);
  return bestByTerm(draft, raw).map((quote) => cardOf(quote, raw, draft.target));
}

/** The best LTV from each amount on: the steps of the graph. */
export function ltvSteps(draft: RuneDraft): Array<{ raw: bigint; ltvBps: number }> {
  const max = maxRaw(draft.target);
  const edges = eligibleQuotes(draft.target).flatMap(({ fromRaw, toRaw }) => [fromRaw, toRaw + 1n]);
  const within = [...new Set([0n, ...edges.filter((raw) => raw <= max), max])];
  within.sort((one, other) => (one < other ? -1 : 1));
  return within.map((raw) => {
    const levels = bestByTerm(draft, raw).map((quote) => ltvOf(quote, draft.target) ?? 0);
    return { raw, ltvBps: Math.max(0, ...levels) };
  });
}

/** Keeps the selected card while it exists, otherwise selects the one with the highest LTV. */
function withBestOffer(draft: RuneDraft): RuneDraft {
  const quotes = bestByTerm(draft, amountOf(draft));
  if (quotes.some(({ offerId }) => offerId === draft.offerId)) return draft;
  const highest = quotes.reduce<RuneQuote | null>(
    (best, next) => (!best || isHigher(next, best) ? next : best),
    null,
  );
  return { ...draft, offerId: highest?.offerId ?? null };
}

function withAmount(draft: RuneDraft, raw: bigint): RuneDraft {
  const max = maxRaw(draft.target);
  const clamped = raw < 0n ? 0n : raw > max ? max : raw;
  return { ...draft, amountText: clamped === 0n ? "" : tokensText(clamped, draft.target.decimals) };
}

export function newDraft(target: RuneTarget): RuneDraft {
  const draft = { target, terms: [], amountText: defaultText(target), offerId: null, fee: FASTEST };
  return withBestOffer(draft);
}

/**
 * Text of the field after typing: a text that is not a number clears it, and more than the maximum becomes
 * the maximum.
 */
function typed(draft: RuneDraft, next: string): RuneDraft {
  const { decimals } = draft.target;
  const text = next.trim().replace(",", ".");
  const raw = parseTokens(text, decimals);
  if (raw === null) return { ...draft, amountText: "" };
  if (raw > maxRaw(draft.target)) return withAmount(draft, raw);
  const [whole = "", fraction] = text.split(".");
  const kept = fraction === undefined || decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`;
  return { ...draft, amountText: kept };
}

function toggledTerm(draft: RuneDraft, termDays: number): RuneDraft {
  const others = draft.terms.filter((days) => days !== termDays);
  return { ...draft, terms: draft.terms.includes(termDays) ? others : [...others, termDays] };
}

export function reducer(draft: RuneDraft, action: RuneAction): RuneDraft {
  switch (action.type) {
    case "marketMoved": {
      const { target } = action;
      const moved = { ...draft, target };
      if (draft.amountText === null) return withBestOffer({ ...moved, amountText: defaultText(target) });
      return withBestOffer(amountOf(moved) > maxRaw(target) ? withAmount(moved, amountOf(moved)) : moved);
    }
    case "allTermsChosen":
      return withBestOffer({ ...draft, terms: [] });
    case "termToggled":
      return withBestOffer(toggledTerm(draft, action.termDays));
    case "amountTyped":
      return withBestOffer(typed(draft, action.text));
    case "amountSet":
      return withBestOffer(withAmount(draft, action.raw));
    case "offerChosen":
      return withBestOffer({ ...draft, offerId: action.offerId });
    case "feeChosen":
      return { ...draft, fee: action.fee };
  }
}

/** The figures of the selected card; zeros without one. */
export function calculateSummary(draft: RuneDraft): BreakdownFigures & { card: RuneCard | null } {
  const card = cardsOf(draft).find(({ offerId }) => offerId === draft.offerId) ?? null;
  const principalSats = card?.principalSats ?? 0n;
  const interestSats = interestOf(principalSats, card?.interestBps ?? 0);
  return {
    card,
    principalSats,
    interestSats,
    payoutSats: principalSats + interestSats,
    ltvBps: card?.ltvBps ?? null,
    interestBps: card?.interestBps ?? 0,
    termDays: card?.termDays ?? 0,
  };
}

/** Whether the offer of the order book is not available. */
export function isMissing(quotes: readonly RuneQuote[] | null | undefined, offerId: string): boolean {
  return !!quotes && quotes.every((quote) => quote.offerId !== offerId);
}

/** The market without the refused offers. If the pinned one was or is gone, any other is acceptable. */
export function withoutRefused(target: RuneTarget, refusedIds: ReadonlySet<string>): RuneTarget {
  const { quotes, pinnedOfferId } = target;
  const isGone =
    pinnedOfferId !== null && (refusedIds.has(pinnedOfferId) || isMissing(quotes, pinnedOfferId));
  return {
    ...target,
    quotes: quotes?.filter(({ offerId }) => !refusedIds.has(offerId)) ?? null,
    pinnedOfferId: isGone ? null : pinnedOfferId,
  };
}

/** The text in place of the cards; null when there are some. */
export function offersMessage(draft: RuneDraft, collection: string): string | null {
  const { quotes, balance, pinnedOfferId } = draft.target;
  if (!quotes) return "Fetching offers...";
  if (pinnedOfferId !== null && eligibleQuotes(draft.target).length === 0) {
    return "Selected offer is no longer available";
  }
  if (quotes.length === 0) return "No offers are currently available for this collection.";
  if (balance === 0n) return `You don't have any ${collection} tokens to use as collateral.`;
  const available = termsOf(draft.target);
  if (draft.terms.length > 0 && !draft.terms.some((days) => available.includes(days))) {
    return "Select a term to view offers.";
  }
  return cardsOf(draft).length === 0 ? "No offers for that amount" : null;
}

/** The reasons why the draft cannot be submitted, most important first. */
export function getErrors(
  draft: RuneDraft,
  wallet: { addresses: readonly string[]; feeRate: number | null },
): DraftError[] {
  const errors: DraftError[] = [];
  if (wallet.addresses.length < 4 || wallet.addresses.some((address) => address === "")) {
    errors.push({ at: "wallet", text: "missing user addresses!" });
  }
  const isGone = draft.target.pinnedOfferId !== null && eligibleQuotes(draft.target).length === 0;
  if (isGone) errors.push({ at: "offers", text: "Selected offer is no longer available" });
  else if (amountOf(draft) === 0n) errors.push({ at: "collateral", text: "No collateral amount" });
  else if (calculateSummary(draft).card === null) errors.push({ at: "offers", text: "No offer selected" });
  if (wallet.feeRate === null) errors.push({ at: "fee", text: "Select a fee rate" });
  return errors;
}
