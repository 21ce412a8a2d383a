import { RequestProblem } from "@/shared/api/problem";

/** Refusals that are about the offer or its lender alone, so that another offer may do. */
const OF_THE_OFFER: ReadonlySet<string> = new Set([
  "exact_coin_missing",
  "lender_short",
  "offer_not_admitted",
  "offer_paused",
  "offer_taken",
  "offer_used",
  "under_offer",
  "unknown_offer",
]);

/** Refusals that say that the offer of a prepared loan is taken or withdrawn, and that the loan is gone with it. */
const GONE: ReadonlySet<string> = new Set([
  "offer_taken",
  "offer_used",
  "unknown_loan",
  "unknown_offer",
  "unknown_reservation",
]);

/** Why an offer cannot be taken though another one may be; null for any other error. */
export function offerRefusal(error: unknown): string | null {
  return error instanceof RequestProblem && OF_THE_OFFER.has(error.code) ? error.message : null;
}

/** Whether a prepared loan is gone because its offer is, so that there is nothing left to give up. */
export function isLoanGone(error: unknown): boolean {
  return error instanceof RequestProblem && GONE.has(error.code);
}

/** Whether the offer of a prepared loan cannot be taken any more, or is paused. */
export function isOfferGone(error: unknown): boolean {
  return isLoanGone(error) || (error instanceof RequestProblem && error.code === "offer_paused");
}
