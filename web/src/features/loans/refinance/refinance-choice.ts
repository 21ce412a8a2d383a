import type { BookOffer } from "@/shared/api/book";
import type { ProcessType } from "@/shared/api/collection";
import { type Limits, smallestOffer } from "@/shared/api/config";
import type { Loan, RefinanceOrder } from "@/shared/api/loan";
import { bpsOf, interestOf } from "@/shared/api/loan-figures";
import { collateralOf } from "@/shared/api/loan-to-value";
import { pledgedRaw } from "@/shared/api/pledge";
import type { Book } from "@/shared/feed/book-channel";

/** An offer that could repay a loan, compared with that loan. */
export interface RefinanceOffer {
  offerId: string;
  process: ProcessType;
  principal: bigint;
  interest: number;
  payoutSats: bigint;
  term: number;
  /** The sum left over for the borrower; negative when it must be added. The network fee is extra. */
  differenceSats: bigint;
}

interface Borrower {
  userId: string;
  limits: Pick<Limits, "minOfferSats">;
  refusedIds?: ReadonlySet<string>;
}

/**
 * Other lenders' offers for exactly this collateral, the largest first, and of equals the one with the lowest
 * interest per day.
 */
export function refinanceOffers(
  loan: Loan,
  book: Book,
  { userId, limits, refusedIds = new Set() }: Borrower,
): RefinanceOffer[] {
  const pledged = pledgedRaw(loan);
  return [...book.offers.values()]
    .filter(
      ({ state, lenderId, offerId }) => state === "live" && lenderId !== userId && !refusedIds.has(offerId),
    )
    .flatMap((offer): RefinanceOffer[] => {
      const principal = principalFor(offer, book.row, pledged, limits);
      if (principal === null) return [];
      const { offerId, process, interestPercent: interest, termDays: term } = offer;
      return [
        {
          offerId,
          process,
          principal,
          interest,
          term,
          payoutSats: principal + interestOf(principal, bpsOf(interest)),
          differenceSats: principal - loan.payoutSats,
        },
      ];
    })
    .sort((one, other) => {
      if (one.principal !== other.principal) return one.principal > other.principal ? -1 : 1;
      return byDailyInterest(one, other) || (one.offerId < other.offerId ? -1 : 1);
    });
}

/** The principal that an offer lends against exactly this collateral; null if it does not take it. */
function principalFor(
  offer: BookOffer,
  row: Book["row"],
  pledged: bigint,
  limits: Pick<Limits, "minOfferSats">,
): bigint | null {
  if (!isTakenInParts(offer, row)) return collateralOf(offer, row) === pledged ? offer.principalSats : null;
  const whole = offer.fungibleAmount ?? 0n;
  if (whole === 0n) return null;
  const principal = pledged === whole ? offer.principalSats : (offer.principalSats * pledged) / whole;
  const isAvailable =
    principal >= smallestOffer(limits, row.collateralType, offer.process) && principal <= offer.availableSats;
  return isAvailable ? principal : null;
}

/** Whether borrowers choose the amount of tokens that they take of an offer. */
function isTakenInParts({ subCollectionId }: BookOffer, row: Book["row"]): boolean {
  const sub = row.subCollections.find(({ id }) => id === subCollectionId);
  return row.collateralType === "rune" && sub?.bundleSize === null;
}

type DailyInterest = Pick<RefinanceOffer, "interest" | "term">;

function byDailyInterest(one: DailyInterest, other: DailyInterest): number {
  return bpsOf(one.interest) * other.term - bpsOf(other.interest) * one.term;
}

/**
 * The offers within a borrower's standing order, in the server's order of preference: the lowest interest per
 * day, then the largest principal.
 */
export function offersWithin(
  offers: readonly RefinanceOffer[],
  order: Omit<RefinanceOrder, "daysBefore">,
): RefinanceOffer[] {
  const interestMax = bpsOf(order.interestMaxPercentage);
  // The sort is stable: of equals the larger one stays first.
  return offers
    .filter(
      ({ principal, interest, term }) =>
        principal >= order.principalMinSats &&
        bpsOf(interest) <= interestMax &&
        term >= order.termMinDays &&
        term <= order.termMaxDays,
    )
    .sort(byDailyInterest);
}

/** The best offers of each process, up to a limit, and the chosen one whatever its place. */
export function shownOffers(
  offers: readonly RefinanceOffer[],
  chosenId: string | null,
  maxOfEach: number,
): RefinanceOffer[] {
  const counts: Record<ProcessType, number> = { manual: 0, instant: 0 };
  return offers.filter(({ offerId, process }) => {
    counts[process] += 1;
    return counts[process] <= maxOfEach || offerId === chosenId;
  });
}
