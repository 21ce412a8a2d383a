import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { UnisatConnector } from "./unisat-connector";
import { WalletError } from "./wallet-error";

const CANNOT_PRESIGN =
  "OKX Wallet could not sign the repayment in advance. Nothing was sent. Lend from a vault, or connect another wallet.";

/** OKX: UniSat's calls, with a different option for the key. */
export class OkxConnector extends UnisatConnector {
  constructor() {
    super("okxwallet.bitcoin");
  }

  override async signPsbt(toSign: TransactionToSign): Promise<string> {
    const signed = await super.signPsbt(toSign);
    const presigned = toSign.sides.filter(
      ({ sighash, disable_tweak_signer }) => disable_tweak_signer && sighash !== 0,
    );
    if (presigned.length === 0) return signed;
    // Its published signer hashes every script path with SIGHASH_DEFAULT. The server refuses such a signature
    // too, but only this check can name the wallet as the reason.
    const { hasLeafSignature } = await import("./leaf-signature");
    const isSigned = presigned.every(({ index, sighash }) =>
      hasLeafSignature(toSign.transactionBase64, signed, index, sighash),
    );
    if (!isSigned) throw new WalletError("failed", CANNOT_PRESIGN);
    return signed;
  }

  protected override keyOption({ disable_tweak_signer }: TransactionToSign["sides"][number]): object {
    return { disableTweakSigner: disable_tweak_signer };
  }
}
