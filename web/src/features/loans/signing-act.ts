import { RequestProblem } from "@/shared/api/problem";
import {
  signTransaction,
  TransactionCancelled,
  type TransactionToSign,
} from "@/shared/bitcoin/transaction-signer";
import { isOfferGone } from "@/shared/signing/offer-refusal";
import type { SigningFacts } from "@/shared/signing/signing-facts";

/** Something to be signed, as the server prepared it. */
export interface PreparedAct {
  transactions: TransactionToSign[];
  facts: SigningFacts;
  /** Names the act and the amount: `Repay 0.05150 BTC`. */
  label: string;
  /** Hands the signatures over, in the order of `transactions`; comes back with the transaction's id. */
  submit: (signed: string[]) => Promise<string>;
  /** Frees what the server holds until it is signed; absent where it holds nothing. */
  giveBack?: () => Promise<void>;
}

export type ActState =
  /** What is to be decided before the server is asked. */
  | { step: "deciding"; error: string | null; isOfferGone?: true }
  | { step: "preparing" }
  /** `signed` holds the signatures of an attempt whose answer never came: they are sent again as they are. */
  | {
      step: "ready";
      prepared: PreparedAct;
      signed: string[] | null;
      error: string | null;
      isOfferGone?: true;
    }
  | { step: "signing"; prepared: PreparedAct; index: number }
  | { step: "sending"; prepared: PreparedAct }
  | { step: "sent"; transactionId: string };

/** What is to be freed when an act is left in this state. A signature that may have been handed over keeps its hold. */
export function heldBy(state: ActState): PreparedAct["giveBack"] | null {
  const isUnsigned = state.step === "signing" || (state.step === "ready" && state.signed === null);
  return isUnsigned ? (state.prepared.giveBack ?? null) : null;
}

/** Nothing can be changed or left meanwhile. */
export function isBusy({ step }: ActState): boolean {
  return step === "preparing" || step === "signing" || step === "sending";
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : "An unknown error occurred";
}

/** Says so where the offer of a prepared loan is gone, so that neither the loan nor its signature is of use any more. */
function goneOf(error: unknown): { isOfferGone?: true } {
  return isOfferGone(error) ? { isOfferGone: true } : {};
}

/** Asks the server for what is to be signed. */
export async function prepareAct(
  prepare: () => Promise<PreparedAct>,
  onState: (state: ActState) => void,
): Promise<void> {
  onState({ step: "preparing" });
  try {
    onState({ step: "ready", prepared: await prepare(), signed: null, error: null });
  } catch (error) {
    onState({ step: "deciding", error: errorText(error), ...goneOf(error) });
  }
}

/**
 * Has everything signed, one transaction after the other, and hands it over. A person who says no in the wallet is back
 * where they were. When the server's answer is lost the signatures are kept, and the same act is sent again.
 */
export async function signAndSend(
  prepared: PreparedAct,
  kept: string[] | null,
  onState: (state: ActState) => void,
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

/** Whether what is shown is no error: the person said no in the wallet, and nothing happened. */
export function isCancelled(text: string): boolean {
  return text === new TransactionCancelled().message;
}

async function signAll(prepared: PreparedAct, onState: (state: ActState) => void): Promise<string[]> {
  const signed: string[] = [];
  for (const [index, transaction] of prepared.transactions.entries()) {
    onState({ step: "signing", prepared, index });
    signed.push(await signTransaction(transaction));
  }
  return signed;
}
