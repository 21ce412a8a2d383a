import type { ProcessType } from "@/shared/api/collection";
import { decimalsOf } from "@/shared/api/collection";
import { collateralOf, loanToValueBps } from "@/shared/api/loan-to-value";
import type { Book } from "@/shared/feed/book-channel";

/** An offer that this person can take whole. */
export interface BorrowOffer {
  offerId: string;
  subCollectionId: string;
  principalSats: bigint;
  /** What it asks for, in the collateral's smallest unit. */
  raw: bigint;
  interestBps: number;
  termDays: number;
  /** Basis points at the price of this moment; null while there is no price. */
  ltvBps: number | null;
}

/** The offers of one term or bundle size, best first; never without one. */
export interface BorrowPlace {
  subCollectionId: string;
  termDays: number;
  interestBps: number;
  raw: bigint;
  offers: BorrowOffer[];
}

/** Offers this close to the best can be taken together with it (SPEC section 9). */
const BUNDLE_RANGE_PERCENT = 2n;

/** Where this person can borrow now. One's own offers and those somebody is signing for are left out. */
export function borrowPlaces(book: Book, process: ProcessType, userId: string | null): BorrowPlace[] {
  const { row } = book;
  const bySub = new Map<string, BorrowOffer[]>();
  const live = [...book.offers.values()].filter(
    (offer) => offer.process === process && offer.state === "live" && offer.lenderId !== userId,
  );
  // The best for the borrower first, then the earlier one.
  live.sort((one, other) =>
    one.principalSats === other.principalSats
      ? one.createdAt - other.createdAt
      : one.principalSats > other.principalSats
        ? -1
        : 1,
  );
  for (const offer of live) {
    const raw = collateralOf(offer, row);
    const { offerId, subCollectionId, principalSats, termDays } = offer;
    const price = row.unitPrice;
    bySub.set(subCollectionId, [
      ...(bySub.get(subCollectionId) ?? []),
      {
        offerId,
        subCollectionId,
        principalSats,
        raw,
        interestBps: Math.max(0, Math.round(offer.interestPercent * 100)),
        termDays,
        ltvBps: price === null ? null : loanToValueBps(principalSats, raw, decimalsOf(row), price),
      },
    ]);
  }
  return row.subCollections.flatMap((sub): BorrowPlace[] => {
    const offers = bySub.get(sub.id);
    const first = offers?.[0];
    if (!first || !offers) return [];
    const { termDays, interestBps, raw } = first;
    return [{ subCollectionId: sub.id, termDays, interestBps, raw, offers }];
  });
}

/** The best offer and those within two percent of it: what a manual loan against several can take together. */
export function bundleOf(offers: readonly BorrowOffer[]): BorrowOffer[] {
  const best = offers[0]?.principalSats ?? 0n;
  return offers.filter(({ principalSats }) => principalSats * 100n >= best * (100n - BUNDLE_RANGE_PERCENT));
}

/** Interest of a loan, rounded up as the server does: a borrower is never told less than is to be paid. */
export function interestOf(principalSats: bigint, interestBps: number): bigint {
  return (principalSats * BigInt(interestBps) + 9_999n) / 10_000n;
}
