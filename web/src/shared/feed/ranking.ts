import type { BookOffer } from "@/shared/api/book";
import type { Collection, ProcessType } from "@/shared/api/collection";
import { collateralOf } from "@/shared/api/loan-to-value";

export interface Ranking {
  subCollectionId: string;
  process: ProcessType;
  /** Best first. */
  offers: BookOffer[];
}

type Bundles = Pick<Collection, "subCollections">;

/**
 * Best for the borrower first: more sats for the same collateral, then the earlier offer. It compares
 * products instead of quotients, so nothing is lost to rounding.
 */
export function compareRank(a: BookOffer, b: BookOffer, row: Bundles): number {
  const left = a.principalSats * collateralOf(b, row);
  const right = b.principalSats * collateralOf(a, row);
  if (left !== right) return left > right ? -1 : 1;
  return compareOfferIds(a.offerId, b.offerId);
}

/**
 * Offers that compete with one another, by sub-collection, manual before instant. Reserved offers are not
 * ranked.
 */
export function rankings(offers: Iterable<BookOffer>, row: Bundles): Ranking[] {
  const bySubCollection = new Map<string, Ranking>();
  for (const offer of offers) {
    if (offer.state !== "live") continue;
    const key = `${offer.subCollectionId}/${offer.process}`;
    const ranking = bySubCollection.get(key);
    if (ranking) ranking.offers.push(offer);
    else {
      bySubCollection.set(key, {
        subCollectionId: offer.subCollectionId,
        process: offer.process,
        offers: [offer],
      });
    }
  }
  const sorted = [...bySubCollection.values()].sort(
    (a, b) =>
      Number(a.subCollectionId) - Number(b.subCollectionId) ||
      Number(a.process === "instant") - Number(b.process === "instant"),
  );
  for (const ranking of sorted) ranking.offers.sort((a, b) => compareRank(a, b, row));
  return sorted;
}

/** Ids carry a hexadecimal number without leading zeros: a longer one is a larger one. */
function compareOfferIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
