import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { SessionAddress } from "@/shared/session/session-store";

/** What a wallet tells about itself once the person has let us in. */
export interface ConnectedWallet {
  /** The wallet's own id, sent to the server with every offer. */
  wallet: string;
  /** What the wallet calls the account; null when it does not say. */
  accountName: string | null;
  /** The keys are in a device, which cannot sign everything. */
  hardwareWallet: boolean;
  addresses: { payment: SessionAddress; ordinals: SessionAddress };
}

/** One wallet, whatever brand. Every method may reject with a `WalletError`. */
export interface WalletConnector {
  readonly id: string;
  /** Asks the person for their addresses. */
  connect(network: BitcoinNetwork): Promise<ConnectedWallet>;
  /** Asks the person to sign a text; BIP-322, because the older schemes cannot sign for taproot addresses. */
  signMessage(address: string, text: string, protocol: "BIP322"): Promise<string>;
  /** Asks the person for the signatures that `sides` names, each with the sighash of the PSBT. Nothing is sent. */
  signPsbt(toSign: TransactionToSign): Promise<string>;
  /** Tells when the wallet's account or network is another one, where it says so. Returns how to stop. */
  watch(onChange: () => void): () => void;
  /** Forgets the permission, where the wallet knows how to. */
  disconnect(): Promise<void>;
}
