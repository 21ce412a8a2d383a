import * as v from "valibot";
import { collateralType } from "./collection";
import type { Wire } from "./operation";
import { reading } from "./operation";
import { count, imageUrl, lenientArray, percent, rawAmount, sats, text, timeMs } from "./wire";

const loanStage = v.picklist([
  "prepared",
  "awaiting_lender",
  "broadcast",
  "active",
  "expired",
  "repaying",
  "claiming",
  "repaid",
  "claimed",
  "cancelled",
  "lapsed",
  "failed",
]);
export const LOAN_STAGES = loanStage.options;
/** The stages of a loan's life cycle. */
export type LoanStage = v.InferOutput<typeof loanStage>;

const loanRole = v.picklist(["borrower", "lender"]);
/** The user's side of a loan. */
export type LoanRole = v.InferOutput<typeof loanRole>;

export const refinanceOrder = v.object({
  principalMinSats: sats,
  /** Percent for the whole term. */
  interestMaxPercentage: percent,
  /** Days. */
  termMinDays: count,
  termMaxDays: count,
  /** Days before the due date from which the server looks for an offer. */
  daysBefore: count,
});
/** A borrower's standing order to refinance a loan near its due date. */
export type RefinanceOrder = v.InferOutput<typeof refinanceOrder>;

export const loan = v.object({
  loanId: text,
  offerAcceptRequestId: text,
  role: loanRole,
  stage: loanStage,
  /** The action that the loan waits for from the user; null for none. */
  waitsFor: v.nullable(v.picklist(["signature", "counter_signature", "repayment", "claim"])),
  isOverdue: v.boolean(),
  offerId: text,
  lenderId: text,
  borrowerId: text,
  groupId: text,
  groupSlug: text,
  collectionName: text,
  collectionSymbol: text,
  collectionImgURL: imageUrl,
  collectionSlug: v.nullable(text),
  collateralType,
  /** Pledged together; empty with tokens. */
  inscriptionIds: v.array(text),
  fungibleAmount: v.nullable(rawAmount),
  runeName: v.nullable(text),
  runeDecimals: v.nullable(count),
  ticker: v.nullable(text),
  loanProcessType: v.picklist(["Manual", "Instant"]),
  principal: sats,
  interest: percent,
  apy: percent,
  interestSats: sats,
  /** The sum to repay, interest included. */
  payoutSats: sats,
  /** Null for the borrower, who does not pay it. */
  platformFeeSats: v.nullable(sats),
  /** Days. */
  term: count,
  preparedAt: timeMs,
  /** Deadline of the next signature; null once all are there. */
  expiresAt: v.nullable(timeMs),
  acceptedDate: v.nullable(timeMs),
  startedAt: v.nullable(timeMs),
  dueAt: v.nullable(timeMs),
  /** Set for an extension: the new due date of the loan that it follows. */
  extendedUntil: v.nullable(timeMs),
  claimAfter: timeMs,
  endedAt: v.nullable(timeMs),
  updatedAt: timeMs,
  transactionId: v.nullable(text),
  ending: v.nullable(v.picklist(["repayment", "claim", "refinance", "extension"])),
  endingTransactionId: v.nullable(text),
  follows: v.nullable(text),
  followedBy: v.nullable(text),
  /** The reason why no other loan can ever replace this one; null where one can. */
  refinanceRefusal: v.nullable(v.picklist(["transfer_note", "no_such_bundle"])),
  /** Null without one, and for the lender. */
  refinanceOrder: v.nullable(refinanceOrder),
  points: count,
});
/** A loan of the signed-in user. */
export type Loan = v.InferOutput<typeof loan>;

/** The same loan as a feed message carries it. */
export const wireLoan = reading<Wire["LoanView"]>()(loan);

export const loanPage = v.object({ data: lenientArray(loan), nextCursor: v.nullable(text) });
