import type { Loan } from "@/shared/api/loan";

/**
 * Why a reserved offer cannot be taken, as its reader sees it. An offer is reserved from a borrower's signature on, so a
 * loan that the reader only prepared is not what it is reserved for.
 */
export function reservedWords(ownLoans: Iterable<Loan>, offerId: string): string {
  for (const { offerId: takenId, role, stage } of ownLoans) {
    if (takenId === offerId && role === "borrower" && stage === "awaiting_lender") {
      return "You accepted it; the lender signs next.";
    }
  }
  return "Another borrower accepted it. If that loan does not start, the offer becomes available again.";
}
