import type { BookOffer } from "@/shared/api/book";
import type { ProcessType } from "@/shared/api/collection";
import { decimalsOf } from "@/shared/api/collection";
import { type Conditions, isForOneBorrower } from "@/shared/api/conditions";
import type { ServerConfig } from "@/shared/api/config";
import { collateralOf, loanToValueBps } from "@/shared/api/loan-to-value";
import type { Book } from "@/shared/feed/book-channel";

/** An offer that the user can take whole. */
export interface BorrowOffer {
  offerId: string;
  lenderId: string;
  subCollectionId: string;
  principalSats: bigint;
  /** The required collateral, in its smallest unit. */
  raw: bigint;
  interestBps: number;
  termDays: number;
  /** Basis points at the current price; null while there is no price. */
  ltvBps: number | null;
  /** What it asks of borrowers; null if anyone can take it. */
  conditions: Conditions | null;
  /** Whether the principal follows the floor. */
  isPegged: boolean;
}

/** The offers of one term or bundle size, best first; never empty. */
export interface BorrowSubCollection {
  subCollectionId: string;
  termDays: number;
  interestBps: number;
  raw: bigint;
  offers: BorrowOffer[];
}

/** Limits of loans that wait for one borrower's signature: in total, and per lender. */
export type PreparedLimits = Pick<ServerConfig["limits"], "preparedMax" | "preparedPerLenderMax">;

/** One loan at a time, until the server's limits are known. */
export const ONE_PREPARED: PreparedLimits = { preparedMax: 1, preparedPerLenderMax: 1 };

/** Offers within this distance of the best can be taken together with it. */
const BUNDLE_RANGE_PERCENT = 2n;

/**
 * Whether an offer with conditions is for the user: it names them, or they chose it in the order book, where
 * its conditions are shown.
 */
function isForUser({ state, conditions, offerId }: BookOffer, pinnedId: string | null): boolean {
  if (state !== "conditional" || conditions === null) return false;
  return isForOneBorrower(conditions) || offerId === pinnedId;
}

/**
 * The sub-collections where the user can borrow now. Own offers, reserved ones and refused ones are left out.
 */
export function borrowableSubCollections(
  book: Book,
  process: ProcessType,
  userId: string | null,
  refusedIds: ReadonlySet<string> = new Set(),
  pinnedId: string | null = null,
): BorrowSubCollection[] {
  const { row } = book;
  const bySub = new Map<string, BorrowOffer[]>();
  const live = [...book.offers.values()].filter(
    (offer) =>
      // Negotiated terms are those of one loan alone.
      (offer.offerId === pinnedId || !offer.isAgreed) &&
      offer.process === process &&
      (offer.state === "live" || isForUser(offer, pinnedId)) &&
      offer.lenderId !== userId &&
      !refusedIds.has(offer.offerId),
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
    const { offerId, lenderId, subCollectionId, principalSats, termDays, conditions, isPegged } = offer;
    const price = row.unitPrice;
    bySub.set(subCollectionId, [
      ...(bySub.get(subCollectionId) ?? []),
      {
        offerId,
        lenderId,
        subCollectionId,
        principalSats,
        raw,
        interestBps: Math.max(0, Math.round(offer.interestPercent * 100)),
        termDays,
        conditions,
        isPegged,
        ltvBps: price === null ? null : loanToValueBps(principalSats, raw, decimalsOf(row), price),
      },
    ]);
  }
  return row.subCollections.flatMap((sub): BorrowSubCollection[] => {
    const offers = bySub.get(sub.id);
    const first = offers?.find(({ offerId }) => offerId === pinnedId) ?? offers?.[0];
    if (!first || !offers) return [];
    const { termDays, interestBps, raw } = first;
    return [{ subCollectionId: sub.id, termDays, interestBps, raw, offers }];
  });
}

/**
 * The offer to take instead of a refused one: the best for the same collateral, of the same term where there
 * is one. `subCollections` must not contain refused ones.
 */
export function nextOffer(
  subCollections: readonly BorrowSubCollection[],
  refused: Pick<BorrowOffer, "subCollectionId" | "raw">,
): BorrowOffer | null {
  const leading = subCollections
    .flatMap(({ offers }) => offers.slice(0, 1))
    .filter(({ raw }) => raw === refused.raw)
    .sort((one, other) => (one.principalSats > other.principalSats ? -1 : 1));
  return (
    leading.find(({ subCollectionId }) => subCollectionId === refused.subCollectionId) ?? leading[0] ?? null
  );
}

/**
 * The best offer and those within two percent of it: the ones that a manual loan against several can take
 * together, up to the number that the server prepares at once.
 */
export function bundleOf(offers: readonly BorrowOffer[], limits: PreparedLimits): BorrowOffer[] {
  const best = offers[0]?.principalSats ?? 0n;
  const ofLender = new Map<string, number>();
  const bundle = offers.filter(({ lenderId, principalSats }) => {
    const isClose = principalSats * 100n >= best * (100n - BUNDLE_RANGE_PERCENT);
    const count = ofLender.get(lenderId) ?? 0;
    if (!isClose || count >= limits.preparedPerLenderMax) return false;
    ofLender.set(lenderId, count + 1);
    return true;
  });
  return bundle.slice(0, limits.preparedMax);
}
