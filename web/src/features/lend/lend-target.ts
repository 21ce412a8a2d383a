import {
  type Collection,
  decimalsOf,
  type ProcessType,
  type SubCollection,
  unitOf,
} from "@/shared/api/collection";
import { type ServerConfig, smallestOffer } from "@/shared/api/config";
import { bpsOf } from "@/shared/api/loan-figures";
import { collateralOf } from "@/shared/api/loan-to-value";
import { type OfferRank, type RankedQuote, rankAmong } from "@/shared/bitcoin/offer-rank";
import type { Book } from "@/shared/feed/book-channel";
import { formatPercent } from "@/shared/format/percent";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { collateralValue, type LendDraft, type LendTarget, principalOf } from "./lend-draft";

/**
 * The competition of a new offer: others of its process and sub-collection, except the one that it replaces.
 */
export interface Competition {
  process: ProcessType;
  editedOfferId: string | null;
}

/** A ranked offer, and its remaining sum. */
export interface Competitor extends RankedQuote {
  availableSats: bigint;
}

/** The ranked offers that a new one competes with. */
export function competitors(book: Book, subCollectionId: string, competition: Competition): Competitor[] {
  const quotes: Competitor[] = [];
  for (const offer of book.offers.values()) {
    if (offer.state !== "live" || offer.process !== competition.process) continue;
    if (offer.subCollectionId !== subCollectionId || offer.offerId === competition.editedOfferId) continue;
    const { principalSats, availableSats } = offer;
    quotes.push({ principalSats, availableSats, raw: collateralOf(offer, book.row) });
  }
  return quotes;
}

/** The collateral's name, with its amount where there can be several. */
export function collateralText(row: Collection, { bundleSize }: Pick<SubCollection, "bundleSize">): string {
  const unit = unitOf(row);
  if (row.collateralType === "inscription" || bundleSize === null) return "one inscription";
  return `${formatTokenAmount(bundleSize, decimalsOf(row), 2)} ${unit}`;
}

/**
 * The label of a sub-collection in the selector, under the collection's name: its bundle, if any, and its
 * term.
 */
export function subCollectionText(row: Collection, sub: SubCollection): string {
  const terms = `${sub.term} days at ${formatPercent(sub.interest)}`;
  if (row.collateralType === "inscription" || sub.bundleSize === null) return terms;
  return `${formatTokenAmount(sub.bundleSize, decimalsOf(row), 2)} tokens, ${terms}`;
}

/**
 * The current targets of a process's offers, in the group's order. Collateral worth no more than the smallest
 * offer is left out, because no offer for it could be created.
 */
export function lendTargets(book: Book, config: ServerConfig, competition: Competition): LendTarget[] {
  const { row } = book;
  const isInstant = competition.process === "instant";
  const price = row.unitPrice === null || row.unitPrice === 0n ? null : row.unitPrice;
  const { maxOfferSats, countMax } = config.limits;
  const isInstantRune = isInstant && row.collateralType === "rune";
  const minimum = smallestOffer(config.limits, row.collateralType, competition.process);
  return row.subCollections.flatMap((sub): LendTarget[] => {
    if (!sub[competition.process]) return [];
    const target: LendTarget = {
      subCollectionId: sub.id,
      collectionSlug: sub.slug,
      price,
      // For instant rune offers the lender chooses the amount.
      raw: isInstantRune ? 0n : (sub.bundleSize ?? 1n),
      decimals: decimalsOf(row),
      interestBps: bpsOf(sub.interest),
      termDays: sub.term,
      platformFee: config.platformFee,
      bestOfferSats: null,
      minOfferSats: minimum,
      maxOfferSats,
      countMax,
    };
    const value = collateralValue(target);
    if (!isInstantRune && (target.raw === 0n || (value !== null && value <= minimum))) return [];
    const best = bestQuoteOf(competitors(book, sub.id, competition));
    return [{ ...target, bestOfferSats: best?.availableSats ?? null }];
  });
}

/** The first quote of the ranking; null without one. */
export function bestQuoteOf(quotes: readonly Competitor[]): Competitor | null {
  return quotes.reduce<Competitor | null>(
    (best, quote) =>
      best && best.principalSats * quote.raw >= quote.principalSats * best.raw ? best : quote,
    null,
  );
}

/** The draft's rank among the others of its sub-collection; null without an amount. */
export function draftRank(book: Book, draft: LendDraft, competition: Competition): OfferRank | null {
  const principalSats = principalOf(draft);
  const { subCollectionId, raw } = draft.target;
  if (principalSats === 0n || raw === 0n) return null;
  return rankAmong({ principalSats, raw }, competitors(book, subCollectionId, competition));
}

/** The label of a sub-collection: its bundle, if any, and its term. */
export function labelOf(row: Collection, subCollectionId: string): string {
  const sub = row.subCollections.find(({ id }) => id === subCollectionId);
  return sub ? subCollectionText(row, sub) : "–";
}

/** The name of the draft's collateral. */
export function draftCollateral(row: Collection, { target }: LendDraft): string {
  const sub = row.subCollections.find(({ id }) => id === target.subCollectionId);
  if (!sub) return "the collateral";
  // Where the lender chooses the amount, the sub-collection has none.
  return collateralText(row, row.collateralType === "rune" ? { bundleSize: target.raw } : sub);
}
