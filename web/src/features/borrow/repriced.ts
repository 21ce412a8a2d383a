import type { Book } from "@/shared/feed/book-channel";
import type { PreparedLoan } from "./prepared-loan";

/** The offer, while its principal follows the floor and it can be taken. */
function followingOffer({ offers }: Book, offerId: string) {
  const offer = offers.get(offerId);
  return offer?.isPegged && offer.state !== "reserved" ? offer : null;
}

/** Whether an offer is still there, at a principal that follows the floor. */
export function isStillOffered(book: Book, offerId: string): boolean {
  return followingOffer(book, offerId) !== null;
}

/**
 * The sum that the offers of prepared loans lend now, if it is not the prepared one because a principal has
 * followed the floor since; null if nothing changed.
 */
export function repricedSats(book: Book, loans: readonly PreparedLoan[]): bigint | null {
  const nowOf = ({ loanRequest, principalSats }: PreparedLoan) =>
    followingOffer(book, loanRequest.offerId)?.principalSats ?? principalSats;
  const isChanged = loans.some((loan) => nowOf(loan) !== loan.principalSats);
  return isChanged ? loans.reduce((sum, loan) => sum + nowOf(loan), 0n) : null;
}
