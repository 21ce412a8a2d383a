import type { ProcessType } from "@/shared/api/collection";
import { type Loan, wireLoan } from "@/shared/api/loan";
import type { Wire } from "@/shared/api/operation";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { formatBtcPaid } from "@/shared/format/sats";
import { borrowerFields } from "@/shared/session/borrower-fields";
import type { Session } from "@/shared/session/session-store";
import { costFacts } from "@/shared/signing/loan-cost";
import { offerRefusal } from "@/shared/signing/offer-refusal";
import type { PreparedAction } from "@/shared/signing/signing-action";
import type { Verify } from "@/shared/verification/use-verification";
import { sendVerified, withToken } from "@/shared/verification/verified";
import { agreedTerms } from "@/shared/verifier/question";
import { refinanceFacts } from "../action-facts";
import {
  beginningQuestion,
  cancelLoan,
  instantKind,
  movedSums,
  preparedAcceptance,
  releaseOnError,
  submitAcceptance,
} from "../loan-signing";

/** The offer that a loan is refinanced by, and the fee rate of the transaction. */
export interface RefinanceChoice {
  offerId: string;
  process: ProcessType;
  feeRate: number;
}

/** The request for a manual offer. */
export function manualRefinanceBody(
  loan: Loan,
  { offerId, feeRate }: RefinanceChoice,
  session: Session,
): Wire["PrepareAcceptance"] {
  return {
    offerId,
    feeRate,
    // No loan replaces one against several inscriptions.
    inscriptionId: loan.inscriptionIds[0] ?? null,
    refinancedLoanId: loan.loanId,
    ...borrowerFields(session),
  };
}

/** The request for an instant offer, which takes the collateral from the loan alone. */
export function instantRefinanceBody(
  loan: Loan,
  { feeRate }: RefinanceChoice,
  session: Session,
): Wire["PrepareInstantLoan"] {
  return { fee_rate: feeRate, refinanced_loan_id: loan.loanId, ...borrowerFields(session) };
}

function sendPrepare(loan: Loan, choice: RefinanceChoice, session: Session, token: string | null) {
  const idempotencyKey = crypto.randomUUID();
  if (choice.process === "manual") {
    const body = withToken(manualRefinanceBody(loan, choice, session), token);
    return request("POST", "/api/v1/loans/manual/prepare", preparedAcceptance, { body, idempotencyKey });
  }
  return request("POST", "/api/v1/offers/instant/{kind}/{offer_id}/prepare-accept", preparedAcceptance, {
    path: { kind: instantKind(loan), offer_id: choice.offerId },
    body: withToken(instantRefinanceBody(loan, choice, session), token),
    idempotencyKey,
  });
}

/** Prepares a refinance: another loan that repays this one and takes over its collateral. */
export async function prepareRefinance(
  loan: Loan,
  session: Session,
  choice: RefinanceChoice,
  network: BitcoinNetwork,
  verify: Verify,
): Promise<PreparedAction> {
  const own = session.addresses;
  const prepared = await sendVerified((token) => sendPrepare(loan, choice, session, token), verify);
  const { transactionBase64, sides, offerAcceptRequestId, expiresAt } = prepared;
  const release = () => cancelLoan(prepared.loanId);
  const transactions = [{ transactionBase64, sides }];
  // Read from the prepared loan rather than computed here.
  const read = async () => {
    const path = { loan_id: prepared.loanId };
    const next = await request("GET", "/api/v1/me/loans/{loan_id}", wireLoan, { path });
    return { next, sums: await movedSums(loan, transactions, own, next.principal, network) };
  };
  const { next, sums } = await releaseOnError(read(), release);
  const key = crypto.randomUUID();
  const agreed = agreedTerms(
    { ...next, follows: loan.loanId },
    { feeRate: choice.feeRate, interestNowSats: null },
  );
  return {
    transactions,
    question: beginningQuestion("borrow", transactions, agreed, prepared.contract, session, network),
    facts: {
      ...refinanceFacts(loan, own, { ...next, expiresAt }, sums),
      yearly: costFacts([prepared]),
    },
    label: `Refinance with ${formatBtcPaid(next.principal)} BTC`,
    submit: (signed) => submitAcceptance(next, offerAcceptRequestId, signed, session.wallet, key),
    release,
  };
}

/** Whether an offer cannot refinance the loan though another one may. */
export function isOfferRefused(error: unknown): boolean {
  // Another borrower took a part of the offer meanwhile, and too little is left.
  const isTooSmall = error instanceof RequestProblem && error.code === "part_out_of_range";
  return isTooSmall || offerRefusal(error) !== null;
}
