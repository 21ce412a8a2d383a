import { RequestProblem } from "@/shared/api/problem";

/** Refusals that concern the offer or its lender alone, so that another offer may succeed. */
const OF_THE_OFFER: ReadonlySet<string> = new Set([
  "exact_coin_missing",
  "inscription_not_chosen",
  "lender_short",
  "offer_for_other_borrower",
  "offer_not_admitted",
  "offer_expired",
  "offer_paused",
  "offer_taken",
  "offer_unlisted",
  "offer_used",
  "recent_default",
  "too_few_repaid_loans",
  "under_offer",
  "unknown_offer",
]);

/** Refusals because the offer of a prepared loan is taken or withdrawn, which ends the loan too. */
const GONE: ReadonlySet<string> = new Set([
  "offer_taken",
  "offer_used",
  "unknown_loan",
  "unknown_offer",
  "unknown_reservation",
]);

/** The reason why an offer cannot be taken though another one may be; null for any other error. */
export function offerRefusal(error: unknown): string | null {
  return error instanceof RequestProblem && OF_THE_OFFER.has(error.code) ? error.message : null;
}

/** Whether a prepared loan ended with its offer, so that there is nothing to release. */
export function isLoanGone(error: unknown): boolean {
  return error instanceof RequestProblem && GONE.has(error.code);
}

/** Whether the offer of a prepared loan cannot be taken any more, has expired or is paused. */
export function isOfferGone(error: unknown): boolean {
  const isHeldBack = (code: string) => code === "offer_expired" || code === "offer_paused";
  return isLoanGone(error) || (error instanceof RequestProblem && isHeldBack(error.code));
}
