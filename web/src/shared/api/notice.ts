import * as v from "valibot";
import { reading, type Wire } from "./operation";
import { text, timeMs } from "./wire";

export const noticeKind = v.picklist([
  "offer_accepted",
  "counter_signature_needed",
  "signature_needed",
  "loan_started",
  "due_in_72h",
  "due_in_24h",
  "overdue",
  "repayment_waits",
  "claimable",
  "repaid",
  "claimed",
  "cancelled",
  "lapsed",
  "failed",
  "offer_paused",
  "term_change",
  "offer_not_admitted",
  "offer_taken",
  "collateral_reclaimed",
  "collateral_moved",
  "offer_for_you",
  "request_filled",
  "counter_offer",
  "counter_offer_accepted",
  "counter_offer_declined",
  "refinance_cheaper",
  "refinance_ordered",
  "webhook_paused",
]);
export type NoticeKind = v.InferOutput<typeof noticeKind>;

export const notice = reading<Wire["NoticeView"]>()(
  v.object({
    /** Equal for the same notice, however often it arrives. */
    id: text,
    kind: noticeKind,
    at: timeMs,
    /** Of a paused webhook, its host. */
    collectionName: text,
    loanId: v.nullable(text),
    offerId: v.nullable(text),
    role: v.nullable(v.picklist(["borrower", "lender"])),
  }),
);
/** A notice, delivered once to the signed-in user. */
export type Notice = v.InferOutput<typeof notice>;
