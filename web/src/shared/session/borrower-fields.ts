import type { Session } from "./session-store";

/** The addresses and keys that sign a loan for its borrower, which are those of the session. */
export function borrowerFields({ addresses: { payment, ordinals }, wallet, hardwareWallet }: Session) {
  return {
    borrower_wallet: wallet,
    borrower_payment_address: payment.address,
    borrower_payment_pubkey: payment.pubKey,
    borrower_ordinal_address: ordinals.address,
    borrower_ordinal_pubkey: ordinals.pubKey,
    hardware_wallet: hardwareWallet,
  };
}
