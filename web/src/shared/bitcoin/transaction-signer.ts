import type { Wire } from "@/shared/api/operation";

/** A transaction of the server's, with the inputs that the wallet is asked for. */
export type TransactionToSign = Pick<Wire["TransactionToSign"], "transactionBase64" | "sides">;

/** The person said no in the wallet: nothing failed, and nothing happened. */
export class TransactionCancelled extends Error {
  override readonly name = "TransactionCancelled";

  constructor() {
    super("Wallet cancelled request");
  }
}

/** Signs what it is asked for in a PSBT, after asking the person. Returns the PSBT in base64, unfinished or finished. */
export type TransactionSigner = (toSign: TransactionToSign) => Promise<string>;

let current: TransactionSigner | null = null;

/** The wallet feature sets this while a wallet is connected, and null when none is. */
export function setTransactionSigner(signer: TransactionSigner | null): void {
  current = signer;
}

/**
 * Asks the connected wallet for its signatures. Rejects with `TransactionCancelled` when the person says no; the text
 * of any other error can be shown as it is. Nothing is sent: the server is given the answer.
 */
export async function signTransaction(toSign: TransactionToSign): Promise<string> {
  if (!current) throw new Error("Please reconnect your wallet");
  return current(toSign);
}
