import type { Loan } from "@/shared/api/loan";
import { bpsOf } from "@/shared/api/loan-figures";
import type { MyOffer } from "@/shared/api/my-offer";
import type { LoanTerms, Negotiation } from "@/shared/api/negotiation";
import { termsOfLoan } from "./terms-draft";

/**
 * The terms that the latest proposal answered: those of the proposal before it, of the offer that the
 * negotiation began with, or of the loan to extend; null while they are unknown, and for a request, which
 * leaves a choice.
 */
export function answeredBy(
  { proposals, offerId, loanId }: Negotiation,
  own: {
    offers: ReadonlyMap<
      string,
      Pick<MyOffer, "principal" | "interest" | "term" | "bundleSize" | "collateralType">
    >;
    loans: ReadonlyMap<string, Loan>;
  },
): LoanTerms | null {
  const before = proposals.at(-2);
  if (before) return before;
  const loan = own.loans.get(loanId ?? "");
  if (loan) return termsOfLoan(loan);
  const offer = own.offers.get(offerId ?? "");
  // A part of an offer that is open in its amount has another principal.
  if (!offer || (offer.collateralType !== "inscription" && offer.bundleSize === null)) return null;
  return { principalSats: offer.principal, interestBps: bpsOf(offer.interest), termDays: offer.term };
}
