import { base64, hex } from "@scure/base";
import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { CONNECT_TEXTS, callWallet, listen, MESSAGE_TEXTS, PSBT_TEXTS, walletAnswer } from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { requireNetwork } from "./wallet-network";

const accounts = v.pipe(v.array(v.string()), v.minLength(1));
const compressedKey = v.pipe(v.string(), v.regex(/^0[23][0-9a-fA-F]{64}$/));
const hexText = v.pipe(v.string(), v.regex(/^([0-9a-fA-F]{2})+$/));

const TAPROOT = /^(bc|tb|bcrt)1p/i;
const CHANGES = ["accountsChanged", "accountChanged", "networkChanged"];

type Side = TransactionToSign["sides"][number];

/**
 * UniSat: one address for everything, PSBTs in hexadecimal. The address must be taproot, because an ordinal
 * or a rune is held there. The fields of the PSBT and the options that it reads are in WALLETS.md.
 */
export class UnisatConnector implements WalletConnector {
  readonly id: string;

  constructor(path: string) {
    this.id = path;
  }

  async connect(network: BitcoinNetwork): Promise<ConnectedWallet> {
    const call = (method: string) => () => callWallet(this.id, method, [], CONNECT_TEXTS);
    const [address = ""] = await walletAnswer(call("requestAccounts"), accounts, CONNECT_TEXTS);
    const key = await walletAnswer(call("getPublicKey"), compressedKey, CONNECT_TEXTS);
    requireNetwork(address, network);
    if (!TAPROOT.test(address)) {
      throw new WalletError("failed", "Choose a taproot address in the wallet: ordinals and runes need one.");
    }
    const both = { address, pubKey: key.slice(2).toLowerCase() };
    return {
      wallet: this.id,
      accountName: null,
      hardwareWallet: false,
      addresses: { payment: both, ordinals: both },
    };
  }

  signMessage(_address: string, message: string): Promise<string> {
    // The default signature type of these wallets is ECDSA, which taproot addresses cannot produce.
    const call = () => callWallet(this.id, "signMessage", [message, "bip322-simple"], MESSAGE_TEXTS);
    return walletAnswer(call, v.pipe(v.string(), v.minLength(1)), MESSAGE_TEXTS);
  }

  async signPsbt({ transactionBase64, sides }: TransactionToSign): Promise<string> {
    const toSignInputs = sides.map((side) => ({
      index: side.index,
      address: side.address,
      sighashTypes: [side.sighash],
      ...this.keyOption(side),
    }));
    // They would finalize inputs by default, even those that others have yet to sign.
    const options = { autoFinalized: false, toSignInputs };
    const psbt = hex.encode(base64.decode(transactionBase64));
    const call = () => callWallet(this.id, "signPsbt", [psbt, options], PSBT_TEXTS);
    return base64.encode(hex.decode((await walletAnswer(call, hexText, PSBT_TEXTS)).toLowerCase()));
  }

  watch(onChange: () => void): () => void {
    return listen(this.id, CHANGES, onChange);
  }

  async disconnect(): Promise<void> {
    // Not every version supports this call, and signing out must work without it.
    await walletAnswer(
      () => callWallet(this.id, "disconnect", [], CONNECT_TEXTS),
      v.unknown(),
      CONNECT_TEXTS,
    ).catch(() => undefined);
  }

  /**
   * The option that says whether the key is tweaked. It would tweak the key of a segwit address too, so it is
   * set for taproot only.
   */
  protected keyOption({ address, disable_tweak_signer }: Side): object {
    return TAPROOT.test(address) ? { useTweakedSigner: !disable_tweak_signer } : {};
  }
}
