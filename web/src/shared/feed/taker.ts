import type { BookOffer } from "@/shared/api/book";
import type { Collection, ProcessType, Quotes } from "@/shared/api/collection";
import { isForOneBorrower } from "@/shared/api/conditions";
import type { GroupOffer } from "@/shared/api/group-offer";
import { bundleOf, collateralOf, currentLtvPercent } from "@/shared/api/loan-to-value";
import { compareRank } from "./ranking";

/** The signed-in user as a borrower. */
export interface Taker {
  userId: string;
  /** The user's own offers, which others can take. */
  offers: ReadonlyMap<string, unknown>;
  /** The offers that name the user, of all groups. */
  offersForMe: ReadonlyMap<string, GroupOffer>;
  /** The offers whose conditions the user meets, of all groups. */
  takeable: ReadonlyMap<string, GroupOffer>;
}

/** What decides which offers of a book a user can take. */
export interface Borrower {
  /** Null while signed out. */
  userId: string | null;
  /** The offers whose conditions the user meets, by id. */
  takeable: ReadonlyMap<string, unknown>;
}

export const ANY_BORROWER: Borrower = { userId: null, takeable: new Map() };

/** Whether a user can take an offer. */
function canTake(offer: BookOffer, { userId, takeable }: Borrower): boolean {
  if (offer.state === "live") return offer.lenderId !== userId;
  return isOnlyFor(offer, userId) || (offer.state === "conditional" && takeable.has(offer.offerId));
}

/** Whether the offer names the user as its borrower, and asks for nothing else. */
export function isOnlyFor({ state, conditions, lenderId }: BookOffer, userId: string | null): boolean {
  return userId !== null && state === "conditional" && isForOneBorrower(conditions) && lenderId !== userId;
}

/**
 * The best of the offers that a user can take; for `ANY_BORROWER` the public ones. Offers with negotiated terms
 * or with another number of inscriptions than a bundle do not compete with the others.
 */
export function bestOfferFor(
  offers: Iterable<BookOffer>,
  borrower: Borrower,
  row: Collection,
): BookOffer | null {
  let best: BookOffer | null = null;
  for (const offer of offers) {
    if (!canTake(offer, borrower) || !isRanked(offer, row)) continue;
    if (best === null || compareRank(offer, best, row) < 0) best = offer;
  }
  return best;
}

function isRanked(offer: BookOffer, row: Collection): boolean {
  if (offer.isAgreed) return false;
  return (
    row.collateralType !== "inscription" || collateralOf(offer, row) === bundleOf(row, offer.subCollectionId)
  );
}

/**
 * A row of the market with the best offer that the user can take; the same row where that is the public best. It
 * is also the same where the user's own offer is the best of several lenders: a row does not contain the next one.
 */
export function rowFor(row: Collection, process: ProcessType, taker: Taker): Collection {
  const quotes = row[process];
  if (quotes === null) return row;
  const named = bestOfferFor(offersIn(row, process, taker), taker, row);
  const isAllOwn = quotes.lenderCount === 1 && taker.offers.has(quotes.bestOfferId ?? "");
  const best = named !== null && (isAllOwn || isBetter(named, quotes, row)) ? named : null;
  if (best === null && !isAllOwn) return row;
  return { ...row, [process]: { ...quotes, ...(best === null ? NO_BEST : bestFigures(best, row)) } };
}

function* offersIn(
  row: Collection,
  process: ProcessType,
  { offersForMe, takeable }: Taker,
): Generator<BookOffer> {
  for (const offers of [offersForMe, takeable]) {
    for (const { groupId, offer } of offers.values()) {
      if (groupId === row.id && offer.process === process) yield offer;
    }
  }
}

/** Whether an offer lends more for the same collateral than the best offer of a row. */
function isBetter(offer: BookOffer, quotes: Quotes, row: Collection): boolean {
  const { bestOffer, bestSubCollectionId, ltv } = quotes;
  if (bestOffer === null || bestSubCollectionId === null) return true;
  const raw = bundleOf(row, bestSubCollectionId);
  if (raw !== null) return offer.principalSats * raw > bestOffer * collateralOf(offer, row);
  // A row does not contain the collateral of an offer whose lender chose the amount.
  const ltvOfOffer = currentLtvPercent(offer, row);
  return ltvOfOffer !== null && ltv !== null && ltvOfOffer > ltv;
}

type BestFigures = Pick<
  Quotes,
  | "bestOffer"
  | "bestOfferId"
  | "nextBestOffers"
  | "bestSubCollectionId"
  | "term"
  | "interest"
  | "apy"
  | "ltv"
  | "instantBestOfferRange"
>;

const NO_BEST: BestFigures = {
  bestOffer: null,
  bestOfferId: null,
  nextBestOffers: [],
  bestSubCollectionId: null,
  term: null,
  interest: null,
  apy: null,
  ltv: null,
  instantBestOfferRange: null,
};

function bestFigures(offer: BookOffer, row: Collection): BestFigures {
  const sub = row.subCollections.find(({ id }) => id === offer.subCollectionId);
  return {
    ...NO_BEST,
    bestOffer: offer.availableSats,
    bestOfferId: offer.offerId,
    bestSubCollectionId: offer.subCollectionId,
    term: sub?.term ?? null,
    interest: sub?.interest ?? null,
    apy: sub?.apy ?? null,
    ltv: currentLtvPercent(offer, row),
  };
}
