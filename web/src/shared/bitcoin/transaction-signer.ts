import type { Wire } from "@/shared/api/operation";

/** A transaction from the server, with the inputs that the wallet must sign. */
export type TransactionToSign = Pick<Wire["TransactionToSign"], "transactionBase64" | "sides">;

/** The user cancelled in the wallet: nothing failed, and nothing happened. */
export class TransactionCancelled extends Error {
  override readonly name = "TransactionCancelled";

  constructor() {
    super("Wallet cancelled request");
  }
}

/**
 * Signs the requested inputs of a PSBT, after asking the user. Returns the PSBT in base64, finalized or not.
 */
export type TransactionSigner = (toSign: TransactionToSign) => Promise<string>;

let current: TransactionSigner | null = null;

/** The wallet feature sets this while a wallet is connected, and null when none is. */
export function setTransactionSigner(signer: TransactionSigner | null): void {
  current = signer;
}

/**
 * Asks the connected wallet for its signatures. Rejects with `TransactionCancelled` when the user cancels;
 * the text of any other error can be shown as it is. Nothing is broadcast: the result goes to the server.
 */
export async function signTransaction(toSign: TransactionToSign): Promise<string> {
  if (!current) throw new Error("Please reconnect your wallet");
  return current(toSign);
}
