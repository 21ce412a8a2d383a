import { errorText } from "@/shared/api/error-text";
import { RequestProblem } from "@/shared/api/problem";
import { TransactionCancelled, type TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { isLoanGone } from "@/shared/signing/offer-refusal";
import type { Question } from "@/shared/verifier/question";
import type { BorrowRoute, LoanRequest, PreparedLoan } from "./prepared-loan";

/** The dependencies of a run. */
export interface BorrowPorts {
  prepare: (loanRequest: LoanRequest) => Promise<PreparedLoan>;
  /** Rejects with a `Disagreement` unless a loan's transactions are what its terms demand. */
  check: (question: Question) => Promise<void>;
  sign: (transaction: TransactionToSign) => Promise<string>;
  submit: (loan: PreparedLoan, signed: readonly string[]) => Promise<string>;
  cancel: (loanId: string) => Promise<void>;
  /** Notifies the user. */
  notify: Record<"success" | "warning" | "error", (title: string, detail?: string) => void>;
  /** Reloads the book, which has changed meanwhile. */
  refreshOffers: () => void;
  /** Whether an offer is still there, at a principal that follows the floor. */
  isStillOffered: (offerId: string) => boolean;
}

/** Whether a loan was refused because the principal of its offer has followed the floor since. */
export function isRepriced(
  error: unknown,
  { offerId }: LoanRequest,
  { isStillOffered }: Pick<BorrowPorts, "isStillOffered">,
): boolean {
  return error instanceof RequestProblem && error.code === "offer_used" && isStillOffered(offerId);
}

/** The current loan of a run, and the current one of its signatures, from 1. */
export interface RunPosition {
  position: number;
  of: number;
  signature: number;
  signatures: number;
}

const PREPARE_FAILED = { manual: "Failed to process borrow request", instant: "Failed to prepare offer" };
const SUBMIT_FAILED = { manual: "Error accepting this offer", instant: "Failed to accept offer" };

/** Reports why the server refused; an offer that is gone has a text of its own at any step. */
function reportFailure(
  ports: Pick<BorrowPorts, "notify" | "refreshOffers">,
  title: string,
  error: unknown,
): void {
  const code = error instanceof RequestProblem ? error.code : null;
  if (code === "offer_used" || code === "offer_taken" || code === "under_offer") {
    ports.notify.error("Offer has already been used, refreshing offers...");
    ports.refreshOffers();
  } else if (code === "unknown_offer") {
    ports.notify.error("Selected offer is no longer available");
    ports.refreshOffers();
  } else if (errorText(error) === "No data received") {
    ports.notify.error("No data received", "The server prepared nothing, and nothing was signed.");
  } else {
    ports.notify.error(title, errorText(error));
  }
}

/** Prepares one loan after another; failures are reported, counted and skipped. */
export async function prepareAll(
  { process }: BorrowRoute,
  loanRequests: readonly LoanRequest[],
  ports: Pick<BorrowPorts, "prepare" | "notify" | "refreshOffers">,
): Promise<{ loans: PreparedLoan[]; failed: number }> {
  const loans: PreparedLoan[] = [];
  for (const loanRequest of loanRequests) {
    try {
      loans.push(await ports.prepare(loanRequest));
    } catch (error) {
      reportFailure(ports, PREPARE_FAILED[process], error);
    }
  }
  return { loans, failed: loanRequests.length - loans.length };
}

export interface RunResult {
  /** Ids of the transactions of the accepted loans. */
  accepted: string[];
  failed: number;
  /** The user cancelled in the wallet; the remaining loans are released. */
  isCancelled: boolean;
}

async function cancelAll(loans: readonly PreparedLoan[], ports: Pick<BorrowPorts, "cancel">): Promise<void> {
  // They lapse by themselves when the server cannot be reached.
  await Promise.allSettled(loans.map(({ loanId }) => ports.cancel(loanId)));
}

/** Cancels prepared loans. */
export async function cancelPrepared(
  loans: readonly PreparedLoan[],
  ports: Pick<BorrowPorts, "cancel" | "refreshOffers">,
): Promise<void> {
  await cancelAll(loans, ports);
  ports.refreshOffers();
}

async function signed(
  { transactions, question }: PreparedLoan,
  ports: Pick<BorrowPorts, "check" | "sign">,
  onSignature: (number: number) => void,
): Promise<string[]> {
  const signatures: string[] = [];
  // Exactly what is checked here goes to the wallet.
  await ports.check({ ...question, transactions });
  for (const [index, transaction] of transactions.entries()) {
    onSignature(index + 1);
    signatures.push(await ports.sign(transaction));
  }
  return signatures;
}

/** Has each prepared loan signed and submitted. A failure is counted and the next one follows. */
export async function acceptAll(
  { process }: BorrowRoute,
  loans: readonly PreparedLoan[],
  ports: Omit<BorrowPorts, "prepare">,
  onStep: (step: "signature" | "sending", at: RunPosition) => void,
): Promise<RunResult> {
  const result: RunResult = { accepted: [], failed: 0, isCancelled: false };
  const of = loans.length;
  for (const [index, loan] of loans.entries()) {
    const position = index + 1;
    const count = loan.transactions.length;
    const at = (signature: number): RunPosition => ({ position, of, signature, signatures: count });
    let signatures: string[];
    try {
      signatures = await signed(loan, ports, (signature) => onStep("signature", at(signature)));
    } catch (error) {
      const isCancelled = error instanceof TransactionCancelled;
      if (isCancelled) ports.notify.warning("Wallet cancelled request", "Nothing was signed or sent.");
      else ports.notify.error("Failed to sign transaction", errorText(error));
      if (isCancelled) {
        await cancelAll(loans.slice(index), ports);
        return { ...result, isCancelled: true };
      }
      await cancelAll([loan], ports);
      result.failed += 1;
      continue;
    }
    try {
      onStep("sending", at(count));
      result.accepted.push(await ports.submit(loan, signatures));
      if (process === "manual") ports.notify.success(acceptedText(position, of));
    } catch (error) {
      result.failed += 1;
      const isChanged = isRepriced(error, loan.loanRequest, ports);
      if (isChanged && of === 1) {
        ports.notify.warning(
          "The principal has changed",
          "The price has moved. Check the new principal, and borrow again.",
        );
      } else if (of > 1)
        ports.notify.error(`Error submitting signature for offer ${position}`, errorText(error));
      else reportFailure(ports, SUBMIT_FAILED[process], error);
      // A refused loan is cancelled, unless it is gone. One with an unknown result may have started.
      const isRefused = error instanceof RequestProblem && error.isRefusal;
      if (isRefused && (isChanged || !isLoanGone(error))) await cancelAll([loan], ports);
    }
  }
  if (of > 1 && result.accepted.length === 0) ports.notify.error("Error accepting offers");
  return result;
}

function acceptedText(position: number, of: number): string {
  return of === 1 ? "Offer accepted" : `Offer ${position}/${of} accepted`;
}
