import type { NoticeKind } from "@/shared/api/notice";

interface ChoiceText {
  what: string;
  why: string;
}

/** The label of each kind of event in the settings, for both sides of a loan alike. */
export const CHOICE_TEXTS: Record<NoticeKind, ChoiceText> = {
  offer_accepted: { what: "A borrower accepts your offer", why: "Collateral is pledged for your offer." },
  counter_signature_needed: {
    what: "A loan needs your counter-signature",
    why: "After 12 hours without it the loan lapses.",
  },
  signature_needed: {
    what: "A loan needs your signature again",
    why: "One of its coins was spent, and the lender rebuilt it.",
  },
  loan_started: { what: "A loan starts", why: "Its transaction is confirmed, and the term begins." },
  due_in_72h: { what: "Your loan is due in three days", why: "After the term the collateral can be lost." },
  due_in_24h: { what: "Your loan is due in a day", why: "After the term the collateral can be lost." },
  overdue: { what: "A loan is overdue", why: "It can still be repaid until the lender claims." },
  repayment_waits: {
    what: "A repayment is not confirmed yet",
    why: "The lender may claim before it is confirmed: raise its fee.",
  },
  claimable: { what: "You may claim collateral", why: "Until you do, the borrower can still repay." },
  repaid: {
    what: "A loan is repaid",
    why: "The lender is paid, and the borrower has the collateral back.",
  },
  claimed: { what: "Collateral is claimed", why: "The loan is over, and the lender has the collateral." },
  cancelled: { what: "A loan is cancelled", why: "It was accepted and will not start." },
  lapsed: { what: "A counter-signature came too late", why: "The collateral is available again." },
  failed: { what: "A loan cannot start", why: "One of its coins was spent elsewhere." },
  offer_paused: {
    what: "An offer of yours pauses",
    why: "By its LTV limit, your vault's balance, new terms or its expiry.",
  },
  term_change: { what: "The terms of your offer change", why: "It pauses on that day unless you accept." },
  offer_not_admitted: { what: "An offer is removed", why: "The vault signer cannot fund it." },
  offer_taken: {
    what: "A loan you prepared ends",
    why: "Another borrower signed first, or the lender withdrew the offer. Nothing was pledged.",
  },
  collateral_reclaimed: {
    what: "Collateral is pledged for another loan",
    why: "Its owner signed the other loan, so this one does not start.",
  },
  collateral_moved: {
    what: "A borrower moves the collateral",
    why: "Before you signed: your offer and coins are available again.",
  },
  request_filled: {
    what: "A lender fills your request",
    why: "Sign the loan before the offer expires.",
  },
  counter_offer: {
    what: "You have a counter-offer",
    why: "It can be accepted, answered or declined until it expires.",
  },
  counter_offer_accepted: {
    what: "A counter-offer of yours is accepted",
    why: "The borrower has 12 hours to sign the loan.",
  },
  counter_offer_declined: {
    what: "A counter-offer of yours is declined",
    why: "Nothing was pledged or lent.",
  },
  refinance_cheaper: {
    what: "Another loan would be cheaper than yours",
    why: "Near the due date, an offer asks at least 10% less interest a day.",
  },
  refinance_ordered: {
    what: "Your standing order has an offer",
    why: "The next loan starts only if you sign it while the offer is there.",
  },
  webhook_paused: { what: "A webhook of yours is paused", why: "It accepted no events for three days." },
  offer_for_you: { what: "A lender makes an offer to you", why: "Only you can take it." },
};
