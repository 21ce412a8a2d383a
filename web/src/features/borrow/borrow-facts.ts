import type { CollateralType } from "@/shared/api/collection";
import { allInscriptions } from "@/shared/api/pledge";
import { addSums } from "@/shared/bitcoin/loan-sums";
import { togetherText } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { newLoanLines } from "@/shared/signing/borrower-lines";
import { costFacts } from "@/shared/signing/loan-cost";
import type { Movement, SigningFacts } from "@/shared/signing/signing-facts";
import type { PreparedLoan } from "./prepared-loan";

const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;

function sum(loans: readonly PreparedLoan[], of: (loan: PreparedLoan) => bigint): bigint {
  return loans.reduce((total, loan) => total + of(loan), 0n);
}

function pledged({ loanRequest }: PreparedLoan, session: Session): Movement {
  const [first, ...others] = loanRequest.inscriptionIds;
  return {
    what: loanRequest.collateral,
    address: session.addresses.ordinals.address,
    // Several are listed on their own.
    ...(first !== undefined && others.length === 0 ? { note: shortenAddress(first, 6) } : {}),
  };
}

/** The inscriptions that one loan takes together; nothing for one, or with tokens. */
function together([loan, ...others]: readonly PreparedLoan[]): Pick<SigningFacts, "collateral"> {
  const ids = loan?.loanRequest.inscriptionIds ?? [];
  if (others.length > 0 || ids.length < 2) return {};
  return { collateral: { text: togetherText(ids.length), ids } };
}

/** The signing facts for the borrower, read from the exact transactions that will be signed. */
export function borrowFacts(
  process: "manual" | "instant",
  loans: readonly PreparedLoan[],
  session: Session,
  collateralType: CollateralType,
): SigningFacts {
  const sums = addSums(loans.map((loan) => loan.sums));
  const count = loans.reduce((total, { loanRequest }) => total + loanRequest.inscriptionIds.length, 0);
  const { fee, outgoing, ...lines } = newLoanLines(sums, session.addresses, collateralType, count);
  const { collateral } = together(loans);
  const payout = btc(sum(loans, ({ payoutSats }) => payoutSats));
  const signBy = formatMoment(Math.min(...loans.map(({ expiresAt }) => expiresAt)));
  const days = loans[0]?.termDays ?? 0;
  const isMany = loans.length > 1;
  const claimAfter = formatMoment(Math.min(...loans.map((loan) => loan.claimAfter)));
  const claimed = collateral
    ? allInscriptions(collateral.ids.length)
    : isMany
      ? "what is pledged"
      : "the collateral";
  const repay = `Repay ${payout}${isMany ? " in all" : ""} within ${days} days of the first confirmation.`;
  return {
    outgoing: [...loans.map((loan) => pledged(loan, session)), ...outgoing],
    ...lines,
    ...(collateral && { collateral }),
    fees: [
      fee,
      { what: btc(sum(loans, ({ interestSats }) => interestSats)), note: "Interest, with the repayment" },
    ],
    yearly: costFacts(loans),
    deadline:
      process === "manual"
        ? `Sign by ${signBy}: until then another borrower can take the offer. After that the lender has 12 hours to counter-sign. ${repay}`
        : `Sign by ${signBy}: until then another borrower can take the offer. ${repay}`,
    atDefault: `The lender may claim ${claimed} from ${claimAfter} on. No price ends the loan earlier.`,
    exit:
      process === "manual"
        ? "Until the lender counter-signs, you can cancel. After that, your loan kit lets you repay on your own, even if the lender and this platform are gone."
        : "The repayment is signed in advance: your loan kit lets you repay on your own, even if the lender and this platform are gone.",
  };
}
