import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { LoanCost } from "@/shared/signing/loan-cost";
import type { Question } from "@/shared/verifier/question";

/** One requested loan. */
export interface LoanRequest {
  offerId: string;
  /** The inscriptions, or the transfer inscription; empty where tokens are taken from the balance. */
  inscriptionIds: readonly string[];
  /** Whole tokens as a decimal string, where a part of an offer is taken. */
  tokenAmount: string | null;
  /** The pledged collateral as text. */
  collateral: string;
}

/** A loan that waits for the borrower's signature, in the server's figures. */
export interface PreparedLoan {
  loanRequest: LoanRequest;
  requestId: string;
  loanId: string;
  /** Expiry of the unsigned loan, unix milliseconds. */
  expiresAt: number;
  principalSats: bigint;
  interestSats: bigint;
  payoutSats: bigint;
  termDays: number;
  /** The time from which the lender may claim, unix milliseconds; fixed in the escrow that is signed. */
  claimAfter: number;
  /** The total cost and its yearly rate. */
  cost: LoanCost;
  /** The loan's own transaction, and with BRC-20 the one that reveals the transfer inscription. */
  transactions: TransactionToSign[];
  /** The terms that they must follow from, checked in this browser. */
  question: Question;
  /** The effect of these transactions on the borrower. */
  sums: BorrowerSums;
}

/** The requests that take an offer, and the titles of their errors. */
export interface BorrowRoute {
  process: "manual" | "instant";
  kind: "ordinals" | "runes";
}
