/** The user cancelled in the wallet: nothing failed, and nothing happened. */
export class SignatureCancelled extends Error {
  override readonly name = "SignatureCancelled";

  constructor() {
    super("Signature request was cancelled");
  }
}

/** Signs a message with the key of an address, after asking the user. Returns the signature in base64. */
export type MessageSigner = (address: string, message: string) => Promise<string>;

let current: MessageSigner | null = null;

/** The wallet feature sets this while a wallet is connected, and null when none is. */
export function setMessageSigner(signer: MessageSigner | null): void {
  current = signer;
}

/**
 * Asks the connected wallet for a signature. Rejects with `SignatureCancelled` when the user cancels; the
 * text of any other error can be shown as it is.
 */
export async function signMessage(address: string, message: string): Promise<string> {
  if (!current) throw new Error("Please reconnect your wallet");
  return current(address, message);
}
