import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { SessionAddress } from "@/shared/session/session-store";

/** The account data of a connected wallet. */
export interface ConnectedWallet {
  /** The wallet's own id, sent to the server with every offer. */
  wallet: string;
  /** The wallet's name of the account; null without one. */
  accountName: string | null;
  /** The keys are in a device, which cannot sign everything. */
  hardwareWallet: boolean;
  addresses: { payment: SessionAddress; ordinals: SessionAddress };
}

/** A connection to one wallet of any brand. Every method may reject with a `WalletError`. */
export interface WalletConnector {
  readonly id: string;
  /** Asks the user for their addresses. */
  connect(network: BitcoinNetwork): Promise<ConnectedWallet>;
  /** Asks the user to sign a text; BIP-322, because the older schemes cannot sign for taproot addresses. */
  signMessage(address: string, text: string, protocol: "BIP322"): Promise<string>;
  /**
   * Asks the user for the signatures that `sides` names, each with the sighash of the PSBT. Nothing is
   * broadcast.
   */
  signPsbt(toSign: TransactionToSign): Promise<string>;
  /**
   * Calls back when the wallet reports another account or network. Returns a function that stops listening.
   */
  watch(onChange: () => void): () => void;
  /** Revokes the permission, where the wallet supports it. */
  disconnect(): Promise<void>;
}
