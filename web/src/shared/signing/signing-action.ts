import { errorText } from "@/shared/api/error-text";
import { RequestProblem } from "@/shared/api/problem";
import {
  signTransaction,
  TransactionCancelled,
  type TransactionToSign,
} from "@/shared/bitcoin/transaction-signer";
import { requireAgreement } from "@/shared/verifier/check-transactions";
import type { Question } from "@/shared/verifier/question";
import { isOfferGone } from "./offer-refusal";
import type { SigningFacts } from "./signing-facts";

/** Transactions to sign, as the server prepared them. */
export interface PreparedAction {
  transactions: TransactionToSign[];
  facts: SigningFacts;
  /**
   * The terms that the transactions must follow from. The wallet is not asked unless the check in this browser
   * agrees. Null for a payment to oneself, which is of no contract.
   */
  question: Question | null;
  /** The action and the amount: `Repay 0.05150 BTC`. */
  label: string;
  /** Submits the signatures, in the order of `transactions`; returns the transaction's id. */
  submit: (signed: string[]) => Promise<string>;
  /** Releases the server's hold before the signature; absent where it holds nothing. */
  release?: () => Promise<void>;
}

export type ActionState =
  /** The inputs before the server is asked. */
  | { step: "deciding"; error: string | null; isOfferGone?: true }
  | { step: "preparing" }
  /** `signed` holds the signatures of an attempt without a response: they are sent again unchanged. */
  | {
      step: "ready";
      prepared: PreparedAction;
      signed: string[] | null;
      error: string | null;
      isOfferGone?: true;
    }
  | { step: "signing"; prepared: PreparedAction; index: number }
  | { step: "sending"; prepared: PreparedAction }
  | { step: "sent"; transactionId: string };

/**
 * The hold to release when an action is left in this state. A signature that may have been submitted keeps
 * its hold.
 */
export function releaseOf(state: ActionState): PreparedAction["release"] | null {
  const isUnsigned = state.step === "signing" || (state.step === "ready" && state.signed === null);
  return isUnsigned ? (state.prepared.release ?? null) : null;
}

/** Whether nothing can be changed or closed. */
export function isBusy({ step }: ActionState): boolean {
  return step === "preparing" || step === "signing" || step === "sending";
}

/** The flag of an error that ends the prepared loan and its signature: its offer is gone. */
function goneOf(error: unknown): { isOfferGone?: true } {
  return isOfferGone(error) ? { isOfferGone: true } : {};
}

/** Asks the server for the transactions to sign. */
export async function prepareAction(
  prepare: () => Promise<PreparedAction>,
  onState: (state: ActionState) => void,
): Promise<void> {
  onState({ step: "preparing" });
  try {
    onState({ step: "ready", prepared: await prepare(), signed: null, error: null });
  } catch (error) {
    onState({ step: "deciding", error: errorText(error), ...goneOf(error) });
  }
}

/**
 * Signs each transaction in turn, and submits them. A user who cancels in the wallet is back in the previous
 * state. When the server's response is lost the signatures are kept, and the same submission is repeated.
 */
export async function signAndSend(
  prepared: PreparedAction,
  kept: string[] | null,
  onState: (state: ActionState) => void,
): Promise<void> {
  let signed = kept;
  try {
    signed ??= await signAll(prepared, onState);
    onState({ step: "sending", prepared });
    onState({ step: "sent", transactionId: await prepared.submit(signed) });
  } catch (error) {
    const isUnanswered = error instanceof RequestProblem && (error.status === 0 || error.status >= 500);
    onState({
      step: "ready",
      prepared,
      signed: isUnanswered ? signed : null,
      error: isUnanswered ? `${errorText(error)}. Your signature is kept: send it again.` : errorText(error),
      ...goneOf(error),
    });
  }
}

/** Whether the text is no error: the user cancelled in the wallet, and nothing happened. */
export function isCancelled(text: string): boolean {
  return text === new TransactionCancelled().message;
}

async function signAll(prepared: PreparedAction, onState: (state: ActionState) => void): Promise<string[]> {
  const signed: string[] = [];
  // Checked again, whatever was shown: exactly what is checked here goes to the wallet.
  const { question } = prepared;
  onState({ step: "signing", prepared, index: 0 });
  if (question !== null) await requireAgreement({ ...question, transactions: prepared.transactions });
  for (const [index, transaction] of prepared.transactions.entries()) {
    if (index > 0) onState({ step: "signing", prepared, index });
    signed.push(await signTransaction(transaction));
  }
  return signed;
}
