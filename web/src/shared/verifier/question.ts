import type { Loan } from "@/shared/api/loan";
import { satsToWire } from "@/shared/api/request";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { Session } from "@/shared/session/session-store";

/** A contract as the server describes it. The verifier reads it, and believes nothing in it. */
export type DescribedContract = unknown;

/** The collateral as the user chose it. */
export type AgreedCollateral =
  | { kind: "inscriptions"; count: number }
  | { kind: "runes"; amountRaw?: string }
  | { kind: "brc20"; ticker?: string }
  | { kind: "running_loan"; loanId: string };

/** The terms that the screen shows before a signature. */
export interface AgreedTerms {
  loanId: string;
  principalSats: bigint;
  payoutSats: bigint;
  /** Unix milliseconds. */
  claimAfter: number;
  /** Days from now on; null for an extension, whose term continues another. */
  termDays: number | null;
  /** Sats per virtual byte; null where another side chose it. */
  feeRate: number | null;
  /** Null for a borrower, who does not pay it. */
  platformFeeSats: bigint | null;
  /** The interest that an extension pays now; null for other loans. */
  interestNowSats: bigint | null;
  collateral: AgreedCollateral;
}

/** Transactions to sign, and the terms that they must follow from. */
export interface Question {
  network: BitcoinNetwork;
  own: Session["addresses"];
  transactions: readonly TransactionToSign[];
  task:
    | { kind: "borrow" | "lend"; agreed: AgreedTerms; contract: DescribedContract }
    | { kind: "repay" | "claim"; loans: readonly EndedLoan[]; feeSats: bigint; feeRate: number };
}

/** A loan that ends, with the user's kit of it. */
export interface EndedLoan {
  loan: Pick<Loan, "loanId" | "payoutSats" | "claimAfter">;
  kit: string;
}

/** Sats per virtual byte as sats per 1,000 weight units, rounded as the server does. */
export function satPerKwu(feeRate: number): number {
  return Math.ceil(Math.round(feeRate * 1_000) / 4);
}

const seconds = (timeMs: number) => Math.floor(timeMs / 1_000);

/** A question in the words of the verifier. */
export function questionText({ network, own, transactions, task }: Question, nowMs: number): string {
  const address = ({ address, pubKey }: Session["addresses"]["payment"]) => ({ address, publicKey: pubKey });
  return JSON.stringify({
    network,
    own: { payment: address(own.payment), ordinals: address(own.ordinals) },
    transactions: transactions.map(({ transactionBase64, sides }) => ({ base64: transactionBase64, sides })),
    task: "agreed" in task ? beginning(task, nowMs) : ending(task),
  });
}

function beginning(
  { kind, agreed, contract }: Extract<Question["task"], { agreed: AgreedTerms }>,
  nowMs: number,
) {
  const { loanId, termDays, feeRate, platformFeeSats, interestNowSats, collateral } = agreed;
  return {
    kind,
    agreed: {
      loanId,
      principalSats: satsToWire(agreed.principalSats),
      payoutSats: satsToWire(agreed.payoutSats),
      claimAfterSeconds: seconds(agreed.claimAfter),
      termDays,
      nowSeconds: seconds(nowMs),
      feeRateSatPerKwu: feeRate === null ? null : satPerKwu(feeRate),
      platformFeeSats: platformFeeSats === null ? null : satsToWire(platformFeeSats),
      interestNowSats: interestNowSats === null ? null : satsToWire(interestNowSats),
      collateral,
    },
    contract,
  };
}

function ending({
  kind,
  loans,
  feeSats,
  feeRate,
}: Extract<Question["task"], { loans: readonly EndedLoan[] }>) {
  return {
    kind,
    loans: loans.map(({ loan, kit }) => ({
      loanId: loan.loanId,
      kit,
      payoutSats: satsToWire(loan.payoutSats),
      claimAfterSeconds: seconds(loan.claimAfter),
    })),
    feeSats: satsToWire(feeSats),
    feeRateSatPerKwu: satPerKwu(feeRate),
  };
}

/** The collateral of a loan as its terms show it. */
export function agreedCollateral(
  loan: Pick<Loan, "collateralType" | "fungibleAmount" | "ticker">,
  inscriptionIds: readonly string[],
): AgreedCollateral {
  if (loan.collateralType === "rune") {
    return {
      kind: "runes",
      ...(loan.fungibleAmount !== null && { amountRaw: loan.fungibleAmount.toString() }),
    };
  }
  if (loan.collateralType === "brc20")
    return { kind: "brc20", ...(loan.ticker !== null && { ticker: loan.ticker }) };
  return { kind: "inscriptions", count: inscriptionIds.length };
}

/** The terms of a loan that waits for a signature, as its dialog shows them. */
export function agreedTerms(
  loan: Loan,
  { feeRate, interestNowSats }: Pick<AgreedTerms, "feeRate" | "interestNowSats">,
): AgreedTerms {
  const { loanId, principal, payoutSats, claimAfter, platformFeeSats, follows } = loan;
  return {
    loanId,
    principalSats: principal,
    payoutSats,
    claimAfter,
    termDays: loan.extendedUntil === null ? loan.term : null,
    feeRate,
    platformFeeSats,
    interestNowSats,
    collateral:
      follows === null
        ? agreedCollateral(loan, loan.inscriptionIds)
        : { kind: "running_loan", loanId: follows },
  };
}
