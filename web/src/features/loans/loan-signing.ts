import * as v from "valibot";
import { type Loan, wireLoan } from "@/shared/api/loan";
import { request, requestFile } from "@/shared/api/request";
import { sats, text, timeMs } from "@/shared/api/wire";
import { movedLoanSums, newLoanSums } from "@/shared/bitcoin/loan-sums";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { readFlows } from "@/shared/bitcoin/read-flows";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { formatBtcPaid } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { costFacts, lenderReturn, loanCost, returnFacts } from "@/shared/signing/loan-cost";
import type { PreparedAction } from "@/shared/signing/signing-action";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import { type AgreedTerms, agreedTerms, type EndedLoan, type Question } from "@/shared/verifier/question";
import {
  borrowFacts,
  claimFacts,
  counterSignFacts,
  extensionFacts,
  refinanceFacts,
  repaymentFacts,
  sumOf,
} from "./action-facts";

const side = v.object({
  index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  address: text,
  sighash: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  disable_tweak_signer: v.boolean(),
});
const psbt = v.pipe(v.string(), v.maxLength(1_000_000));
const toSign = { transactionBase64: psbt, sides: v.array(side) };

const preparedEnding = v.object({ ...toSign, transactionId: text, feeSats: sats });
const preparedCounterSignature = v.object({
  ...toSign,
  transactionId: text,
  expiresAt: timeMs,
  payouts: v.array(v.object(toSign)),
  contract: v.unknown(),
  lenderReturn,
  borrowerRecord: v.object({ repaid: v.number(), claimed: v.number(), collateralMoved: v.number() }),
});
/** A prepared loan, as every acceptance of an offer returns it. */
export const preparedAcceptance = v.object({
  ...toSign,
  offerAcceptRequestId: text,
  loanId: text,
  expiresAt: timeMs,
  contract: v.unknown(),
  cost: loanCost,
  revealBase64: v.nullish(psbt),
  revealSides: v.nullish(v.array(side)),
});
const preparedExtension = v.object({
  ...toSign,
  extensionRequestId: text,
  contract: v.unknown(),
  cost: loanCost,
  transactionId: text,
  interestNowSats: sats,
  payoutSats: sats,
  dueAt: timeMs,
  claimAfter: timeMs,
  expiresAt: timeMs,
});
const sent = v.object({ transactionId: text });
const accepted = v.object({ loan_transaction_id: text });

const first = (signed: string[]) => signed[0] ?? "";

/** The user's kits of running loans, from which the transactions that end them are built again. */
function kitsOf(loans: readonly Loan[]): Promise<EndedLoan[]> {
  const withKit = async (loan: Loan) => {
    const path = { loan_id: loan.loanId };
    return { loan, kit: await requestFile("/api/v1/loans/{loan_id}/kit", { path }) };
  };
  return Promise.all(loans.map(withKit));
}

/** Prepares the repayment of one or several loans; for an unconfirmed one, a fee bump. */
export async function prepareRepayment(
  loans: readonly Loan[],
  session: Session,
  feeRate: number,
  network: BitcoinNetwork,
): Promise<PreparedAction> {
  const loanIds = loans.map(({ loanId }) => loanId);
  const { transactionBase64, sides, feeSats } = await request(
    "POST",
    "/api/v1/loans/repayment/prepare",
    preparedEnding,
    { body: { loanIds, feeRate }, idempotencyKey: crypto.randomUUID() },
  );
  const transactions = [{ transactionBase64, sides }];
  const kits = await kitsOf(loans);
  const key = crypto.randomUUID();
  return {
    transactions,
    facts: repaymentFacts(loans, session.addresses, feeSats),
    question: {
      network,
      own: session.addresses,
      transactions,
      task: { kind: "repay", loans: kits, feeSats, feeRate },
    },
    label: `Repay ${formatBtcPaid(sumOf(loans, "payoutSats"))} BTC`,
    submit: async (signed) => {
      const body = { loanIds, walletName: session.wallet, base64: first(signed) };
      const answer = await request("POST", "/api/v1/loans/repayment", sent, { body, idempotencyKey: key });
      return answer.transactionId;
    },
  };
}

/** Prepares the claim of a loan's collateral; for an unconfirmed one, a fee bump. */
export async function prepareClaim(
  loan: Loan,
  session: Session,
  feeRate: number,
  network: BitcoinNetwork,
): Promise<PreparedAction> {
  const path = { loan_id: loan.loanId };
  const { transactionBase64, sides, feeSats } = await request(
    "POST",
    "/api/v1/loans/{loan_id}/claim/prepare",
    preparedEnding,
    { path, body: { feeRate }, idempotencyKey: crypto.randomUUID() },
  );
  const transactions = [{ transactionBase64, sides }];
  const kits = await kitsOf([loan]);
  const key = crypto.randomUUID();
  return {
    transactions,
    facts: claimFacts(loan, session.addresses, feeSats),
    question: {
      network,
      own: session.addresses,
      transactions,
      task: { kind: "claim", loans: kits, feeSats, feeRate },
    },
    label: "Claim the collateral",
    submit: async (signed) => {
      const body = { walletName: session.wallet, base64: first(signed) };
      const answer = await request("POST", "/api/v1/loans/{loan_id}/claim", sent, {
        path,
        body,
        idempotencyKey: key,
      });
      return answer.transactionId;
    },
  };
}

/**
 * Prepares a lender's signatures for an accepted loan: its transaction, then both versions of the repayment.
 */
export async function prepareCounterSignature(
  loan: Loan,
  session: Session,
  followed: Loan | null,
  network: BitcoinNetwork,
): Promise<PreparedAction> {
  const path = { loan_id: loan.loanId };
  const prepared = await request(
    "GET",
    "/api/v1/loans/{loan_id}/countersignature",
    preparedCounterSignature,
    { path },
  );
  const { transactionBase64, sides, payouts, expiresAt, borrowerRecord, contract } = prepared;
  const key = crypto.randomUUID();
  const interestNowSats = followed?.interestSats ?? null;
  const transactions = [{ transactionBase64, sides }, ...payouts];
  const agreed = agreedTerms(loan, { feeRate: null, interestNowSats });
  return {
    transactions,
    question: beginningQuestion("lend", transactions, agreed, contract, session, network),
    facts: {
      ...counterSignFacts(loan, session.addresses, { expiresAt, interestNowSats, borrowerRecord }),
      yearly: returnFacts(loan.loanId, prepared.lenderReturn),
    },
    label: loan.extendedUntil === null ? `Lend ${formatBtcPaid(loan.principal)} BTC` : "Approve extension",
    submit: async ([base64 = "", ...signedPayouts]) => {
      const body = { walletName: session.wallet, base64, payouts: signedPayouts };
      const answer = await request("POST", "/api/v1/loans/{loan_id}/countersignature", sent, {
        path,
        body,
        idempotencyKey: key,
      });
      return answer.transactionId;
    },
  };
}

/**
 * Prepares a borrower's signature for a prepared loan: one left unsigned, or rebuilt because a coin was
 * spent.
 */
export async function prepareAcceptance(
  loan: Loan,
  session: Session,
  network: BitcoinNetwork,
): Promise<PreparedAction> {
  const path = { loan_id: loan.loanId };
  const prepared = await request("GET", "/api/v1/loans/{loan_id}/acceptance", preparedAcceptance, { path });
  const { transactionBase64, sides, revealBase64, revealSides, expiresAt, contract, cost } = prepared;
  const reveal = revealBase64 ? [{ transactionBase64: revealBase64, sides: revealSides ?? [] }] : [];
  const transactions = [{ transactionBase64, sides }, ...reveal];
  const key = crypto.randomUUID();
  const interestNowSats = await interestNow(loan);
  const agreed = agreedTerms(loan, { feeRate: null, interestNowSats });
  return {
    transactions,
    question: beginningQuestion("borrow", transactions, agreed, contract, session, network),
    facts: {
      ...(await acceptanceFacts(loan, session.addresses, expiresAt, transactions, network)),
      yearly: costFacts([{ loanId: loan.loanId, cost }]),
    },
    label: acceptanceLabel(loan),
    submit: (signed) => submitAcceptance(loan, prepared.offerAcceptRequestId, signed, session.wallet, key),
  };
}

/** The interest that an extension pays at once, which is that of the loan that it follows; null for other loans. */
async function interestNow({ extendedUntil, follows }: Loan): Promise<bigint | null> {
  if (extendedUntil === null || follows === null) return null;
  const path = { loan_id: follows };
  return (await request("GET", "/api/v1/me/loans/{loan_id}", wireLoan, { path })).interestSats;
}

/** The check of a loan that begins, for one of its sides. */
export function beginningQuestion(
  kind: "borrow" | "lend",
  transactions: readonly TransactionToSign[],
  agreed: AgreedTerms,
  contract: unknown,
  { addresses }: Session,
  network: BitcoinNetwork,
): Question {
  return { network, own: addresses, transactions, task: { kind, agreed, contract } };
}

function acceptanceLabel(loan: Loan): string {
  if (loan.extendedUntil !== null) return "Request extension";
  const amount = `${formatBtcPaid(loan.principal)} BTC`;
  return loan.follows === null ? `Borrow ${amount}` : `Refinance with ${amount}`;
}

/**
 * The signing facts of a prepared loan: a new one, an extension, or a refinance of the one that it follows.
 */
async function acceptanceFacts(
  loan: Loan,
  own: Session["addresses"],
  expiresAt: number,
  transactions: readonly TransactionToSign[],
  network: BitcoinNetwork,
): Promise<SigningFacts> {
  if (loan.follows === null) {
    const flows = await readFlows(transactions, network);
    return borrowFacts(loan, own, expiresAt, newLoanSums(flows, own, loan.principal));
  }
  const { extendedUntil, payoutSats, claimAfter } = loan;
  if (extendedUntil === null) {
    const sums = await movedSums(loan, transactions, own, loan.principal, network);
    return refinanceFacts(loan, own, { ...loan, expiresAt }, sums);
  }
  const sums = await movedSums(loan, transactions, own, 0n, network);
  return extensionFacts(loan, own, { payoutSats, dueAt: extendedUntil, claimAfter }, sums);
}

/** The effect on the borrower of moving a running loan's collateral, read from the transaction to sign. */
export async function movedSums(
  { inscriptionIds }: Loan,
  transactions: readonly TransactionToSign[],
  own: Session["addresses"],
  principalSats: bigint,
  network: BitcoinNetwork,
) {
  const [flow] = await readFlows(transactions, network);
  if (!flow) throw new Error("No data received");
  return movedLoanSums(flow, own, principalSats, inscriptionIds.length);
}

/** The kind of instant offer in the paths of its requests. */
export function instantKind({ collateralType }: Pick<Loan, "collateralType">): "ordinals" | "runes" {
  return collateralType === "rune" ? "runes" : "ordinals";
}

/** Submits the borrower's signatures of a prepared loan; returns the id of its transaction. */
export async function submitAcceptance(
  loan: Loan,
  acceptRequest: string,
  [base64 = "", revealBase64]: string[],
  walletName: string,
  idempotencyKey: string,
): Promise<string> {
  if (loan.loanProcessType === "Instant") {
    const answer = await request("POST", "/api/v1/offers/instant/{kind}/{offer_id}/accept", sent, {
      path: { kind: instantKind(loan), offer_id: loan.offerId },
      body: { offer_accept_request_id: acceptRequest, signed_psbt: base64, wallet_name: walletName },
      idempotencyKey,
    });
    return answer.transactionId;
  }
  if (loan.extendedUntil !== null && loan.follows !== null) {
    const body = { extensionRequestId: loan.loanId, walletName, base64 };
    return submitExtension(loan.follows, body, idempotencyKey);
  }
  const answer = await request("POST", "/api/v1/loans/manual/accept", accepted, {
    body: { acceptRequest, walletName, base64, revealBase64 },
    idempotencyKey,
  });
  return answer.loan_transaction_id;
}

async function submitExtension(
  loanId: string,
  body: { extensionRequestId: string; walletName: string; base64: string },
  idempotencyKey: string,
): Promise<string> {
  const path = { loan_id: loanId };
  const answer = await request("POST", "/api/v1/loans/{loan_id}/extension", accepted, {
    path,
    body,
    idempotencyKey,
  });
  return answer.loan_transaction_id;
}

/** Prepares an extension of a loan. */
export async function prepareExtension(
  loan: Loan,
  session: Session,
  { termDays, negotiationId, feeRate }: { termDays: number; negotiationId: string | null; feeRate: number },
  network: BitcoinNetwork,
): Promise<PreparedAction> {
  const prepared = await request("POST", "/api/v1/loans/{loan_id}/extension/prepare", preparedExtension, {
    path: { loan_id: loan.loanId },
    body: { termDays, feeRate, ...(negotiationId !== null && { negotiationId }) },
    idempotencyKey: crypto.randomUUID(),
  });
  const { transactionBase64, sides, extensionRequestId, interestNowSats } = prepared;
  // An extension is a loan of its own that waits for its borrower.
  const release = () => cancelLoan(extensionRequestId);
  const transactions = [{ transactionBase64, sides }];
  const sums = await releaseOnError(movedSums(loan, transactions, session.addresses, 0n, network), release);
  const key = crypto.randomUUID();
  const agreed: AgreedTerms = {
    loanId: extensionRequestId,
    principalSats: loan.principal,
    payoutSats: prepared.payoutSats,
    claimAfter: prepared.claimAfter,
    termDays: null,
    feeRate,
    platformFeeSats: null,
    interestNowSats: loan.interestSats,
    collateral: { kind: "running_loan", loanId: loan.loanId },
  };
  return {
    transactions,
    question: beginningQuestion("borrow", transactions, agreed, prepared.contract, session, network),
    facts: {
      ...extensionFacts(loan, session.addresses, prepared, sums),
      yearly: costFacts([{ loanId: extensionRequestId, cost: prepared.cost }]),
    },
    label: `Ask for ${termDays} more days, ${formatBtcPaid(interestNowSats)} BTC`,
    submit: ([base64 = ""]) =>
      submitExtension(loan.loanId, { extensionRequestId, walletName: session.wallet, base64 }, key),
    release,
  };
}

/**
 * Releases the hold when the transaction cannot be shown: it could not be signed, and would be held until it
 * lapses.
 */
export async function releaseOnError<Shown>(
  shown: Promise<Shown>,
  release: () => Promise<void>,
): Promise<Shown> {
  try {
    return await shown;
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
}

/** Refuses a loan that its borrower accepted. */
export async function refuseLoan(loanId: string): Promise<void> {
  await request("DELETE", "/api/v1/loans/{loan_id}/countersignature", v.null(), {
    path: { loan_id: loanId },
  });
}

/** Cancels a loan that its lender has not signed. */
export async function cancelLoan(loanId: string): Promise<void> {
  await request("DELETE", "/api/v1/loans/{loan_id}/acceptance", v.null(), { path: { loan_id: loanId } });
}
