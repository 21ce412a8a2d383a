import * as v from "valibot";
import { bpsOf } from "./loan-figures";
import { count, lenientArray, percent, rawAmount, sats, text, timeMs } from "./wire";

const role = v.picklist(["lender", "borrower"]);

/** Principal, interest and term of a loan. */
export interface LoanTerms {
  principalSats: bigint;
  /** For the whole term, in basis points. */
  interestBps: number;
  termDays: number;
}

const proposal = v.pipe(
  v.object({
    by: role,
    principalAmountSats: sats,
    interestRatePercentage: percent,
    loanTermDays: count,
    goodUntil: timeMs,
  }),
  v.transform(({ principalAmountSats, interestRatePercentage, loanTermDays, ...wire }) => ({
    ...wire,
    principalSats: principalAmountSats,
    interestBps: bpsOf(interestRatePercentage),
    termDays: loanTermDays,
  })),
);
/** Terms that one side of a negotiation proposed. */
export type Proposal = v.InferOutput<typeof proposal>;

export const negotiation = v.object({
  negotiationId: text,
  groupId: text,
  /** What it is about: one of an offer, a request and a running loan; the others are null. */
  offerId: v.nullable(text),
  requestId: v.nullable(text),
  /** The running loan whose extension is negotiated. */
  loanId: v.nullable(text),
  /** The user's side. */
  role,
  counterpartyId: text,
  /** Pledged together; empty with tokens. */
  inscriptionIds: v.array(text),
  fungibleAmount: v.nullable(rawAmount),
  /** Oldest first. */
  proposals: v.array(proposal),
  roundsMax: count,
  state: v.picklist(["open", "accepted", "declined", "withdrawn", "closed"]),
  isYourTurn: v.boolean(),
  /** The offer that an accepted proposal led to, for the borrower to take. */
  agreedOfferId: v.nullable(text),
  changedAt: timeMs,
  /** The time until which it is listed. */
  keptUntil: timeMs,
});
/** A negotiation of the signed-in user about the terms of one loan. */
export type Negotiation = v.InferOutput<typeof negotiation>;

export const negotiationList = v.object({ negotiations: lenientArray(negotiation) });
