import type { Loan } from "@/shared/api/loan";
import { isSeveral } from "@/shared/api/pledge";
import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import { togetherText } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { movedLoanLines, newLoanLines } from "@/shared/signing/borrower-lines";
import type { Movement, SigningFacts } from "@/shared/signing/signing-facts";
import { allCollateral, collateralText } from "./loan-collateral";
import { isExtension } from "./loan-state";

type OwnAddresses = Session["addresses"];

const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;
const minerFee = (feeSats: bigint): Movement => ({ what: btc(feeSats), note: "Network fee" });

const BORROWER_KIT =
  "With the loan kit and any Bitcoin node you can repay this loan without the lender and without this site. Download it from the loan.";
const LENDER_KIT =
  "With the loan kit and any Bitcoin node you can claim the collateral after the claim time, without the borrower and without this site. Download it from the loan.";

export function sumOf(loans: readonly Loan[], field: "payoutSats" | "interestSats" | "principal"): bigint {
  return loans.reduce((sum, loan) => sum + loan[field], 0n);
}

/** Several inscriptions of one loan, in words; nothing for one, or with tokens. */
function together(loan: Loan, text: string): Pick<SigningFacts, "collateral"> {
  return isSeveral(loan) ? { collateral: { text, ids: loan.inscriptionIds } } : {};
}

const inOwnOutputs = (loan: Loan) => `${allCollateral(loan)} together, each in an output of its own.`;

/** The effect of repaying one or several loans. */
export function repaymentFacts(loans: readonly Loan[], own: OwnAddresses, feeSats: bigint): SigningFacts {
  const deadline = Math.min(...loans.map(({ claimAfter }) => claimAfter));
  const [first, ...others] = loans;
  const only = others.length === 0 ? first : undefined;
  return {
    outgoing: [
      {
        what: btc(sumOf(loans, "payoutSats")),
        address: own.payment.address,
        note: `principal and ${btc(sumOf(loans, "interestSats"))} interest`,
      },
    ],
    incoming: loans.map((loan) => ({
      what: collateralText(loan),
      address: own.ordinals.address,
      note: loan.collectionName,
    })),
    ...(only && together(only, `You get ${inOwnOutputs(only)}`)),
    fees: [minerFee(feeSats)],
    deadline: `It must be confirmed before a claim of the lender, who may claim from ${formatMoment(deadline)} on.`,
    atDefault: `The lender may take ${only ? allCollateral(only) : "the collateral"}. You keep the principal and owe nothing more${only ? "" : " for that loan"}.`,
    exit: BORROWER_KIT,
  };
}

/** The effect of claiming the collateral of a loan that was not repaid. */
export function claimFacts(loan: Loan, own: OwnAddresses, feeSats: bigint): SigningFacts {
  return {
    outgoing: [],
    incoming: [{ what: collateralText(loan), address: own.ordinals.address, note: loan.collectionName }],
    ...together(loan, `You take ${inOwnOutputs(loan)}`),
    fees: [minerFee(feeSats)],
    deadline: "None. Until the claim is confirmed, the borrower can still repay, and you are paid instead.",
    atDefault: `It was not. You take ${allCollateral(loan)} instead of ${btc(loan.payoutSats)}.`,
    exit: LENDER_KIT,
  };
}

/** The outcomes of a borrower's other loans. */
export interface BorrowerRecord {
  repaid: number;
  claimed: number;
  /** Loans whose collateral was spent before the lender had signed. */
  collateralMoved: number;
}

/** `3 loans repaid, 1 not repaid. Once the collateral was moved away before the lender signed.` */
export function borrowerText({ repaid, claimed, collateralMoved }: BorrowerRecord): string {
  const past =
    repaid + claimed === 0
      ? "No loan has ended yet."
      : `${repaid} ${repaid === 1 ? "loan" : "loans"} repaid, ${claimed} not repaid.`;
  if (collateralMoved === 0) return past;
  const times = collateralMoved === 1 ? "Once" : `${collateralMoved} times`;
  return `${past} ${times} the collateral was moved away before the lender signed.`;
}

interface CounterSignTerms {
  expiresAt: number;
  interestNowSats: bigint | null;
  borrowerRecord: BorrowerRecord;
}

/** The effect of a counter-signature on the lender. `interestNowSats` is paid at once for an extension. */
export function counterSignFacts(
  loan: Loan,
  own: OwnAddresses,
  { expiresAt, interestNowSats, borrowerRecord }: CounterSignTerms,
): SigningFacts {
  const platformFee = loan.platformFeeSats ?? 0n;
  const isMoreTime = isExtension(loan);
  const back: Movement = {
    what: btc(loan.payoutSats),
    address: own.payment.address,
    note: isMoreTime
      ? `when it is repaid, by ${formatMoment(loan.extendedUntil ?? loan.claimAfter)}`
      : `when it is repaid, within ${loan.term} days of its first confirmation`,
  };
  const interestNow: Movement = {
    what: interestNowSats === null ? "The interest of the running term" : btc(interestNowSats),
    address: own.payment.address,
    note: "interest of the running term, now",
  };
  return {
    outgoing: isMoreTime
      ? []
      : [
          {
            what: btc(loan.principal + platformFee),
            address: own.payment.address,
            note:
              platformFee > 0n
                ? `principal of ${btc(loan.principal)} to the borrower, and the platform's fee`
                : "principal, to the borrower",
          },
        ],
    incoming: isMoreTime ? [interestNow, back] : [back],
    fees: platformFee > 0n ? [{ what: btc(platformFee), note: "To the platform, within what leaves" }] : [],
    ...together(loan, togetherText(loan.inscriptionIds.length, "lender")),
    counterparty: { name: "History of the borrower", record: borrowerText(borrowerRecord) },
    deadline: `Sign by ${formatMoment(expiresAt)}, or it lapses and nothing moves.`,
    atDefault: `You may take ${isSeveral(loan) ? allCollateral(loan) : collateralText(loan)} of ${loan.collectionName} from ${formatMoment(loan.claimAfter)} on.`,
    exit: LENDER_KIT,
  };
}

/** The effect of a borrower's signature of a prepared loan. */
export function borrowFacts(
  loan: Loan,
  own: OwnAddresses,
  expiresAt: number,
  sums: BorrowerSums,
): SigningFacts {
  const { fee, outgoing, ...lines } = newLoanLines(
    sums,
    own,
    loan.collateralType,
    loan.inscriptionIds.length,
  );
  return {
    outgoing: [
      { what: collateralText(loan), address: own.ordinals.address, note: "into the loan's own escrow" },
      ...outgoing,
    ],
    ...lines,
    ...together(loan, togetherText(loan.inscriptionIds.length)),
    fees: [fee, { what: btc(loan.interestSats), note: `Interest for ${loan.term} days, when you repay` }],
    deadline: `Sign by ${formatMoment(expiresAt)}. Then repay ${btc(loan.payoutSats)} within ${loan.term} days of its first confirmation.`,
    atDefault: `The lender may take ${allCollateral(loan)} from ${formatMoment(loan.claimAfter)} on. You keep the principal and owe nothing.`,
    exit: BORROWER_KIT,
  };
}

export interface ExtensionTerms {
  payoutSats: bigint;
  dueAt: number;
  claimAfter: number;
}

/** The effect of requesting an extension. */
export function extensionFacts(
  loan: Loan,
  own: OwnAddresses,
  terms: ExtensionTerms,
  sums: BorrowerSums,
): SigningFacts {
  const { fee, outgoing, ...lines } = movedLoanLines(sums, own, {
    outgoing: "interest of the running term and network fee, once the lender agrees",
    incoming: "left over",
    paid: "Interest of the running term",
  });
  return {
    outgoing: [
      ...outgoing,
      { what: collateralText(loan), note: "from this loan's escrow into the next one's" },
    ],
    ...lines,
    ...together(loan, togetherText(loan.inscriptionIds.length)),
    fees: [
      fee,
      { what: btc(terms.payoutSats - loan.principal), note: "Interest of the next term, when you repay" },
    ],
    deadline: `The lender has until 12 hours after you sign. Then repay ${btc(terms.payoutSats)} by ${formatMoment(terms.dueAt)}.`,
    atDefault: `The lender may take ${allCollateral(loan)} from ${formatMoment(terms.claimAfter)} on. You keep the principal and owe nothing more.`,
    exit: BORROWER_KIT,
  };
}

/** The loan that follows another one. */
type NextLoan = Pick<Loan, "principal" | "payoutSats" | "term" | "claimAfter" | "loanProcessType"> & {
  /** Deadline of the borrower's signature. */
  expiresAt: number;
};

/** The effect of a refinance. */
export function refinanceFacts(
  loan: Loan,
  own: OwnAddresses,
  next: NextLoan,
  sums: BorrowerSums,
): SigningFacts {
  const { fee, outgoing, ...lines } = movedLoanLines(sums, own, {
    outgoing: "shortfall of the new principal, and the network fee",
    incoming: "the rest of the new principal, after the network fee",
    paid: "Repays the current loan",
  });
  const collateral: Movement = {
    what: collateralText(loan),
    note: "from this loan's escrow into the new one's",
  };
  return {
    outgoing: [...outgoing, collateral],
    ...lines,
    fees: [
      fee,
      { what: btc(next.payoutSats - next.principal), note: "Interest of the new loan, when you repay" },
    ],
    deadline: `${nextSignatures(next)} Then repay ${btc(next.payoutSats)} within ${next.term} days of its first confirmation.`,
    atDefault: `The new lender may take the collateral from ${formatMoment(next.claimAfter)} on. You keep the principal and owe nothing more.`,
    exit: BORROWER_KIT,
  };
}

/** The signatures of a refinance: a vault adds its own at once, and reserves nothing before. */
function nextSignatures({ loanProcessType, expiresAt }: NextLoan): string {
  return loanProcessType === "Instant"
    ? `Sign by ${formatMoment(expiresAt)}: until then another borrower can take the offer. The new lender's vault signs at once.`
    : "The new lender has 12 hours after you sign.";
}
