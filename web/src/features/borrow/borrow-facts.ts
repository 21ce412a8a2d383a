import type { CollateralType } from "@/shared/api/collection";
import { addSums } from "@/shared/bitcoin/loan-sums";
import { formatMoment } from "@/shared/format/age";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { newLoanLines } from "@/shared/signing/borrower-lines";
import type { Movement, SigningFacts } from "@/shared/signing/signing-facts";
import type { PreparedLoan } from "./prepared-loan";

const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;

function sum(loans: readonly PreparedLoan[], of: (loan: PreparedLoan) => bigint): bigint {
  return loans.reduce((total, loan) => total + of(loan), 0n);
}

function pledged({ loanRequest }: PreparedLoan, session: Session): Movement {
  return {
    what: loanRequest.collateral,
    address: session.addresses.ordinals.address,
    ...(loanRequest.inscriptionId ? { note: shortenAddress(loanRequest.inscriptionId, 6) } : {}),
  };
}

/** The signing facts for the borrower, read from the exact transactions that will be signed. */
export function borrowFacts(
  process: "manual" | "instant",
  loans: readonly PreparedLoan[],
  session: Session,
  collateralType: CollateralType,
): SigningFacts {
  const sums = addSums(loans.map((loan) => loan.sums));
  const { fee, outgoing, ...lines } = newLoanLines(sums, session.addresses, collateralType);
  const payout = btc(sum(loans, ({ payoutSats }) => payoutSats));
  const signBy = formatMoment(Math.min(...loans.map(({ expiresAt }) => expiresAt)));
  const days = loans[0]?.termDays ?? 0;
  const isMany = loans.length > 1;
  const claimAfter = formatMoment(Math.min(...loans.map((loan) => loan.claimAfter)));
  const repay = `Repay ${payout}${isMany ? " in all" : ""} within ${days} days of the first confirmation.`;
  return {
    outgoing: [...loans.map((loan) => pledged(loan, session)), ...outgoing],
    ...lines,
    fees: [
      fee,
      { what: btc(sum(loans, ({ interestSats }) => interestSats)), note: "Interest, with the repayment" },
    ],
    deadline:
      process === "manual"
        ? `Sign by ${signBy}: until then another borrower can take the offer. After that the lender has 12 hours to counter-sign. ${repay}`
        : `Sign by ${signBy}: until then another borrower can take the offer. ${repay}`,
    atDefault: `The lender may claim ${isMany ? "what is pledged" : "the collateral"} from ${claimAfter} on. No price ends the loan earlier.`,
    exit:
      process === "manual"
        ? "Until the lender counter-signs, you can cancel. After that, your loan kit lets you repay on your own, even if the lender and this platform are gone."
        : "The repayment is signed in advance: your loan kit lets you repay on your own, even if the lender and this platform are gone.",
  };
}
