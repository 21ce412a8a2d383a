import type { Collection } from "@/shared/api/collection";
import type { Notice } from "@/shared/api/notice";
import { detailAddress, offerAddress } from "@/shared/share/share-link";

/** The text of a notice, from the user's side. */
export function noticeText({ kind, role, loanId }: Pick<Notice, "kind" | "role" | "loanId">): string {
  const isLender = role === "lender";
  switch (kind) {
    case "offer_accepted":
      return "A borrower accepted your offer";
    case "counter_signature_needed":
      return "Counter-sign within 12 hours";
    case "signature_needed":
      return "Sign again: one of the loan's coins was spent";
    case "loan_started":
      return "The loan has started";
    case "due_in_72h":
      return "Due in three days";
    case "due_in_24h":
      return "Due in a day";
    case "overdue":
      return isLender ? "Not repaid in time" : "Overdue: repay before the lender claims";
    case "repayment_waits":
      return "Your repayment is not confirmed yet: raise its fee";
    case "claimable":
      return "You may claim the collateral";
    case "repaid":
      return isLender ? "You were repaid" : "Repaid: the collateral is back";
    case "claimed":
      return isLender ? "The collateral is yours" : "The lender took the collateral";
    case "cancelled":
      return "The loan was cancelled";
    case "lapsed":
      return isLender ? "You did not sign in time" : "The lender did not sign in time";
    case "failed":
      return "The loan could not start: one of its coins was spent";
    case "offer_paused":
      return "Your offer is paused";
    case "term_change":
      return "The terms of your offer change";
    case "offer_not_admitted":
      return "Your offer was removed: the vault cannot fund it";
    case "offer_taken":
      return "Your prepared loan ended: the offer is no longer available";
    case "collateral_reclaimed":
      return "The owner pledged the collateral for another loan";
    case "collateral_moved":
      return "The borrower moved the collateral: the loan was cancelled";
    case "offer_for_you":
      return "A lender made an offer to you";
    case "request_filled":
      return "A lender filled your request: sign the loan";
    case "counter_offer":
      return "You have a counter-offer";
    case "counter_offer_accepted":
      return isLender
        ? "The borrower accepted your counter-offer"
        : `The lender accepted your counter-offer: sign the ${loanId === null ? "loan" : "extension"}`;
    case "counter_offer_declined":
      return "Your counter-offer was declined";
    case "refinance_cheaper":
      return "Another loan would be cheaper";
    case "refinance_ordered":
      return "Your standing order has an offer: sign the next loan";
    case "webhook_paused":
      return "Your webhook is paused: it accepts no events";
  }
}

/** Whether the user loses something by not reading it. */
export function isUrgent({ kind, role }: Pick<Notice, "kind" | "role">): boolean {
  return URGENT.has(kind) || isLoanToSign({ kind, role });
}

const URGENT: ReadonlySet<Notice["kind"]> = new Set([
  "counter_signature_needed",
  "signature_needed",
  "due_in_24h",
  "overdue",
  "repayment_waits",
  "claimable",
  "refinance_ordered",
]);

/** The URL where its subject can be seen and acted on. */
export function noticeAddress({ loanId, offerId, kind }: Notice): string {
  if (kind === "webhook_paused") return "/settings/notifications";
  if (NEGOTIATIONS.has(kind)) return "/portfolio/pending";
  if (loanId !== null) {
    const address = `/portfolio?tab=${OVER.has(kind) ? "history" : "loans"}&loan=${encodeURIComponent(loanId)}`;
    const isRefinanced = REFINANCES.has(kind) && offerId !== null;
    return isRefinanced ? `${address}&refinance=${encodeURIComponent(offerId)}` : address;
  }
  return offerId === null ? "/portfolio" : `/portfolio?offer=${encodeURIComponent(offerId)}`;
}

/**
 * The URL of the collection: at the offer that is for the user; else without one, since a loan that was only
 * prepared is gone, but there may be another offer.
 */
export function collectionAddress(notice: Notice, market: Iterable<Collection>): string {
  const { collectionName, offerId } = notice;
  for (const row of market) {
    if (row.collectionName !== collectionName) continue;
    return isForUser(notice) && offerId !== null ? offerAddress(row, offerId) : detailAddress(row);
  }
  return "/borrow/ordinals";
}

/** Whether the notice is about an offer that only the user can take. */
export function isForUser(notice: Pick<Notice, "kind" | "role" | "loanId">): boolean {
  // What was agreed about a running loan is its extension, for which no offer is made.
  return notice.kind === "offer_for_you" || (isLoanToSign(notice) && notice.loanId === null);
}

/** Whether the user asked for the loan of such an offer, and is to sign it. */
function isLoanToSign({ kind, role }: Pick<Notice, "kind" | "role">): boolean {
  return kind === "request_filled" || (kind === "counter_offer_accepted" && role === "borrower");
}

const NEGOTIATIONS: ReadonlySet<Notice["kind"]> = new Set([
  "counter_offer",
  "counter_offer_accepted",
  "counter_offer_declined",
]);

/** The offer of these can refinance the loan. */
const REFINANCES: ReadonlySet<Notice["kind"]> = new Set(["refinance_cheaper", "refinance_ordered"]);

const OVER: ReadonlySet<Notice["kind"]> = new Set([
  "repaid",
  "claimed",
  "cancelled",
  "lapsed",
  "failed",
  "collateral_reclaimed",
  "collateral_moved",
]);
