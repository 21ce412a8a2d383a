import type { Loan } from "@/shared/api/loan";

/**
 * The reason why a reserved offer cannot be taken, from the user's side. An offer is reserved from a
 * borrower's signature on, so a loan that the user only prepared is not the reason.
 */
export function reservationText(ownLoans: Iterable<Loan>, offerId: string): string {
  for (const { offerId: takenId, role, stage } of ownLoans) {
    if (takenId === offerId && role === "borrower" && stage === "awaiting_lender") {
      return "You accepted it; the lender signs next.";
    }
  }
  return "Another borrower accepted it. If that loan does not start, the offer becomes available again.";
}
