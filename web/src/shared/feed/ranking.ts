import { compareIds, type Ranking as RankingOf, rankingsBy } from "@client/ranking.ts";
import type { BookOffer } from "@/shared/api/book";
import type { Collection } from "@/shared/api/collection";
import { collateralOf } from "@/shared/api/loan-to-value";

/** Offers that compete with one another, best first. */
export type Ranking = RankingOf<BookOffer>;

type Bundles = Pick<Collection, "subCollections">;

/**
 * Best for the borrower first: more sats for the same collateral, then the earlier offer. It compares
 * products instead of quotients, so nothing is lost to rounding.
 */
export function compareRank(a: BookOffer, b: BookOffer, row: Bundles): number {
  const left = a.principalSats * collateralOf(b, row);
  const right = b.principalSats * collateralOf(a, row);
  if (left !== right) return left > right ? -1 : 1;
  return compareIds(a.offerId, b.offerId);
}

/**
 * Offers that compete with one another, by sub-collection, manual before instant. Reserved offers are not
 * ranked.
 */
export function rankings(offers: Iterable<BookOffer>, row: Bundles): Ranking[] {
  return rankingsBy(offers, (a, b) => compareRank(a, b, row));
}
