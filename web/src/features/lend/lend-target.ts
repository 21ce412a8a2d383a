import { type Collection, decimalsOf, type SubCollection } from "@/shared/api/collection";
import type { ServerConfig } from "@/shared/api/config";
import { collateralOf } from "@/shared/api/loan-to-value";
import { type OfferRank, type RankedQuote, rankAmong } from "@/shared/bitcoin/offer-rank";
import type { Book } from "@/shared/feed/book-channel";
import { formatPercent } from "@/shared/format/percent";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { type LendDraft, type LendTarget, principalOf } from "./lend-draft";

/** Prices are sats per whole unit times this. */
const PRICE_SCALE = 100_000_000n;

/** The manual offers that a new one would compete with. The offer being replaced does not compete with its successor. */
export function competitors(
  book: Book,
  subCollectionId: string,
  editedOfferId: string | null,
): RankedQuote[] {
  const quotes: RankedQuote[] = [];
  for (const offer of book.offers.values()) {
    if (offer.state !== "live" || offer.process !== "manual") continue;
    if (offer.subCollectionId !== subCollectionId || offer.offerId === editedOfferId) continue;
    quotes.push({ principalSats: offer.principalSats, raw: collateralOf(offer, book.row) });
  }
  return quotes;
}

/** What the collateral is called, with its amount where it is one of many. */
export function collateralText(row: Collection, { bundleSize }: Pick<SubCollection, "bundleSize">): string {
  const unit = row.runeName ?? row.ticker ?? row.collectionSymbol;
  if (row.collateralType === "inscription" || bundleSize === null) return "one inscription";
  return `${formatTokenAmount(bundleSize, decimalsOf(row), 2)} ${unit}`;
}

/** What a sub-collection is called in the selector, under the collection's name: its bundle, if any, and its term. */
export function subCollectionText(row: Collection, sub: SubCollection): string {
  const terms = `${sub.term} days at ${formatPercent(sub.interest)}`;
  if (row.collateralType === "inscription" || sub.bundleSize === null) return terms;
  return `${formatTokenAmount(sub.bundleSize, decimalsOf(row), 2)} tokens, ${terms}`;
}

/**
 * Everything that manual offers can be made for now, in the group's order. What is worth no more than the smallest
 * offer is left out, because no offer for it could be made.
 */
export function lendTargets(book: Book, config: ServerConfig, editedOfferId: string | null): LendTarget[] {
  const { row } = book;
  const decimals = decimalsOf(row);
  const price = row.unitPrice === null || row.unitPrice === 0n ? null : row.unitPrice;
  const { minOfferSats, maxOfferSats, countMax } = config.limits;
  const minimum = minOfferSats[row.collateralType];
  return row.subCollections.flatMap((sub): LendTarget[] => {
    const raw = sub.bundleSize ?? 1n;
    if (!sub.manual || raw === 0n) return [];
    if (price !== null && (price * raw) / (PRICE_SCALE * 10n ** BigInt(decimals)) <= minimum) return [];
    const bests = competitors(book, sub.id, editedOfferId).map(({ principalSats }) => principalSats);
    return [
      {
        subCollectionId: sub.id,
        collectionSlug: sub.slug,
        price,
        raw,
        decimals,
        interestBps: Math.max(0, Math.round(sub.interest * 100)),
        termDays: sub.term,
        bestOfferSats: bests.length === 0 ? null : bests.reduce((best, next) => (next > best ? next : best)),
        minOfferSats: minimum,
        maxOfferSats,
        countMax,
      },
    ];
  });
}

/** Where the draft would stand among the others of its sub-collection; null without an amount. */
export function draftRank(book: Book, draft: LendDraft, editedOfferId: string | null): OfferRank | null {
  const principalSats = principalOf(draft);
  if (principalSats === 0n) return null;
  const { subCollectionId, raw } = draft.target;
  return rankAmong({ principalSats, raw }, competitors(book, subCollectionId, editedOfferId));
}

/** What the draft's collateral is called. */
export function draftCollateral(row: Collection, { target }: LendDraft): string {
  const sub = row.subCollections.find(({ id }) => id === target.subCollectionId);
  return sub ? collateralText(row, sub) : "the collateral";
}
