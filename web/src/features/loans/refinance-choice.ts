import type { BookOffer } from "@/shared/api/book";
import type { Loan } from "@/shared/api/loan";
import { bpsOf, interestOf } from "@/shared/api/loan-figures";
import { collateralOf } from "@/shared/api/loan-to-value";
import { pledgedRaw } from "@/shared/api/pledge";
import type { Book } from "@/shared/feed/book-channel";

/** An offer that could repay a loan, compared with that loan. */
export interface RefinanceOffer {
  offerId: string;
  principal: bigint;
  interest: number;
  payoutSats: bigint;
  term: number;
  /** The sum left over for the borrower; negative when it must be added. The network fee is extra. */
  differenceSats: bigint;
}

/**
 * Other lenders' manual offers for exactly this collateral, the largest first and the cheapest among equals.
 */
export function refinanceOffers(
  loan: Loan,
  book: Book,
  userId: string,
  refusedIds: ReadonlySet<string> = new Set(),
): RefinanceOffer[] {
  const pledged = pledgedRaw(loan);
  const isFitting = (offer: BookOffer) =>
    offer.process === "manual" &&
    offer.state === "live" &&
    offer.lenderId !== userId &&
    !refusedIds.has(offer.offerId) &&
    collateralOf(offer, book.row) === pledged;
  return [...book.offers.values()]
    .filter(isFitting)
    .map((offer) => ({
      offerId: offer.offerId,
      principal: offer.principalSats,
      interest: offer.interestPercent,
      payoutSats: offer.principalSats + interestOf(offer.principalSats, bpsOf(offer.interestPercent)),
      term: offer.termDays,
      differenceSats: offer.principalSats - loan.payoutSats,
    }))
    .sort((a, b) => {
      if (a.principal !== b.principal) return a.principal > b.principal ? -1 : 1;
      return a.interest - b.interest || (a.offerId < b.offerId ? -1 : 1);
    });
}
