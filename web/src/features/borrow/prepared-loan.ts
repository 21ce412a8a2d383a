import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";

/** One loan that a person wants. */
export interface LoanWish {
  offerId: string;
  /** The inscription, or the transfer note; null where tokens are taken from the balance. */
  inscriptionId: string | null;
  /** Whole tokens as a decimal string, where a part of an offer is taken. */
  tokenAmount: string | null;
  /** What is pledged, in words. */
  collateral: string;
}

/** A loan that waits for the borrower's signature, in the server's figures. */
export interface PreparedLoan {
  wish: LoanWish;
  requestId: string;
  loanId: string;
  /** When it lapses unless it is signed, unix milliseconds. */
  expiresAt: number;
  principalSats: bigint;
  interestSats: bigint;
  payoutSats: bigint;
  termDays: number;
  /** The time from which the lender may claim, unix milliseconds; fixed in the escrow that is signed. */
  claimAfter: number;
  /** The loan's own transaction, and with BRC-20 the one that reveals the note. */
  transactions: TransactionToSign[];
  /** What these transactions mean for the borrower. */
  sums: BorrowerSums;
}

/** How an offer is taken: which calls, and what is said when they fail. */
export interface BorrowRoute {
  process: "manual" | "instant";
  kind: "ordinals" | "runes";
}
