import * as v from "valibot";
import { collateralType } from "@/shared/api/collection";
import type { Wire } from "@/shared/api/operation";
import { request } from "@/shared/api/request";
import { count, rawAmount, sats, text, timeMs } from "@/shared/api/wire";
import { newLoanSums } from "@/shared/bitcoin/loan-sums";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { readFlows } from "@/shared/bitcoin/read-flows";
import { useOpenedOffers } from "@/shared/feed/opened-offers";
import { borrowerFields } from "@/shared/session/borrower-fields";
import type { Session } from "@/shared/session/session-store";
import { loanCost } from "@/shared/signing/loan-cost";
import type { Verify } from "@/shared/verification/use-verification";
import { sendVerified, withToken } from "@/shared/verification/verified";
import { agreedCollateral, type Question } from "@/shared/verifier/question";
import type { BorrowRoute, LoanRequest, PreparedLoan } from "./prepared-loan";

/** Length limit for the PSBT of the largest possible loan. */
const PSBT_LENGTH_MAX = 2_000_000;

const psbt = v.pipe(v.string(), v.maxLength(PSBT_LENGTH_MAX));
const side = v.object({ address: text, index: count, sighash: count, disable_tweak_signer: v.boolean() });
const prepared = v.object({
  transactionBase64: psbt,
  sides: v.array(side),
  revealBase64: v.nullish(psbt, null),
  revealSides: v.nullish(v.array(side), null),
  offerAcceptRequestId: text,
  loanId: text,
  expiresAt: timeMs,
  contract: v.unknown(),
  cost: loanCost,
});
const terms = v.object({
  collateralType,
  fungibleAmount: v.nullable(rawAmount),
  ticker: v.nullable(text),
  principal: sats,
  interestSats: sats,
  payoutSats: sats,
  term: count,
  claimAfter: timeMs,
});

export function manualBody(
  loanRequest: LoanRequest,
  feeRate: number,
  session: Session,
): Wire["PrepareAcceptance"] {
  const { offerId, inscriptionIds } = loanRequest;
  const [inscriptionId = null, ...others] = inscriptionIds;
  const pledge = others.length > 0 ? { inscriptionIds: [...inscriptionIds] } : { inscriptionId };
  const linkKey = useOpenedOffers.getState().offers.get(offerId)?.linkKey ?? null;
  return { offerId, ...pledge, linkKey, feeRate, ...borrowerFields(session) };
}

export function instantBody(
  loanRequest: LoanRequest,
  feeRate: number,
  session: Session,
): Wire["PrepareInstantLoan"] {
  const { inscriptionIds, tokenAmount } = loanRequest;
  const [inscription_id = null, ...others] = inscriptionIds;
  const pledge = others.length > 0 ? { inscription_ids: [...inscriptionIds] } : { inscription_id };
  return {
    ...(tokenAmount === null ? pledge : { token_amount: tokenAmount }),
    fee_rate: feeRate,
    ...borrowerFields(session),
  };
}

function sendPrepare(
  route: BorrowRoute,
  loanRequest: LoanRequest,
  feeRate: number,
  session: Session,
  token: string | null,
) {
  const idempotencyKey = crypto.randomUUID();
  if (route.process === "manual") {
    const body = withToken(manualBody(loanRequest, feeRate, session), token);
    return request("POST", "/api/v1/loans/manual/prepare", prepared, { body, idempotencyKey });
  }
  return request("POST", "/api/v1/offers/instant/{kind}/{offer_id}/prepare-accept", prepared, {
    path: { kind: route.kind, offer_id: loanRequest.offerId },
    body: withToken(instantBody(loanRequest, feeRate, session), token),
    idempotencyKey,
  });
}

/**
 * Has the server reserve offer and collateral, and validates the transactions before the user is asked to
 * sign them.
 */
export async function prepareLoan(
  route: BorrowRoute,
  loanRequest: LoanRequest,
  feeRate: number,
  session: Session,
  network: BitcoinNetwork,
  verify: Verify,
): Promise<PreparedLoan> {
  const answer = await sendVerified(
    (token) => sendPrepare(route, loanRequest, feeRate, session, token),
    verify,
  );
  if (answer.transactionBase64 === "" || answer.sides.length === 0) {
    // An unsignable loan would hold offer and collateral until it lapses.
    await cancelLoan(answer.loanId).catch(() => undefined);
    throw new Error("No data received");
  }
  const { loanId, expiresAt, transactionBase64, sides, revealBase64, revealSides } = answer;
  const path = { loan_id: loanId };
  const reveal = revealBase64 === null ? [] : [{ transactionBase64: revealBase64, sides: revealSides ?? [] }];
  const transactions = [{ transactionBase64, sides }, ...reveal];
  const read = async () => {
    const loan = await request("GET", "/api/v1/me/loans/{loan_id}", terms, { path });
    const flows = await readFlows(transactions, network);
    return { loan, sums: newLoanSums(flows, session.addresses, loan.principal) };
  };
  const { loan, sums } = await read().catch(async (error: unknown) => {
    // A loan that cannot be shown cannot be signed.
    await cancelLoan(loanId).catch(() => undefined);
    throw error;
  });
  const { principal, payoutSats, claimAfter, term } = loan;
  const question: Question = {
    network,
    own: session.addresses,
    transactions,
    task: {
      kind: "borrow",
      agreed: {
        loanId,
        principalSats: principal,
        payoutSats,
        claimAfter,
        termDays: term,
        feeRate,
        platformFeeSats: null,
        interestNowSats: null,
        collateral: agreedCollateral(loan, loanRequest.inscriptionIds),
      },
      contract: answer.contract,
    },
  };
  return {
    loanRequest,
    requestId: answer.offerAcceptRequestId,
    loanId,
    expiresAt,
    principalSats: loan.principal,
    interestSats: loan.interestSats,
    payoutSats: loan.payoutSats,
    termDays: loan.term,
    claimAfter: loan.claimAfter,
    cost: answer.cost,
    transactions,
    question,
    sums,
  };
}

/** Submits the borrower's signatures. Returns the id of the loan's transaction. */
export async function submitLoan(
  route: BorrowRoute,
  { loanRequest, requestId }: PreparedLoan,
  signed: readonly string[],
  session: Session,
): Promise<string> {
  const idempotencyKey = crypto.randomUUID();
  const [first = "", reveal = null] = signed;
  if (route.process === "manual") {
    const answer = await request(
      "POST",
      "/api/v1/loans/manual/accept",
      v.object({ loan_transaction_id: text }),
      {
        body: { acceptRequest: requestId, walletName: session.wallet, base64: first, revealBase64: reveal },
        idempotencyKey,
      },
    );
    return answer.loan_transaction_id;
  }
  const { transactionId } = await request(
    "POST",
    "/api/v1/offers/instant/{kind}/{offer_id}/accept",
    v.object({ transactionId: text }),
    {
      path: { kind: route.kind, offer_id: loanRequest.offerId },
      body: { offer_accept_request_id: requestId, signed_psbt: first, wallet_name: session.wallet },
      idempotencyKey,
    },
  );
  return transactionId;
}

/** Cancels a loan that only its borrower could have signed; offer and collateral are released. */
export async function cancelLoan(loanId: string): Promise<void> {
  await request("DELETE", "/api/v1/loans/{loan_id}/acceptance", v.null(), { path: { loan_id: loanId } });
}
