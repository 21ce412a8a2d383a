import { base64 } from "@scure/base";
import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { inputsToSign } from "./inputs-to-sign";
import { CONNECT_TEXTS, callWallet, listen, MESSAGE_TEXTS, PSBT_TEXTS, walletAnswer } from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { requireNetwork } from "./wallet-network";

const PATH = "phantom.bitcoin";

const accounts = v.array(v.object({ address: v.string(), publicKey: v.string(), purpose: v.string() }));
const bytes = v.instance(Uint8Array);

/** Phantom: bytes for messages and PSBTs, mainnet only. */
export class PhantomConnector implements WalletConnector {
  readonly id = PATH;

  async connect(network: BitcoinNetwork): Promise<ConnectedWallet> {
    const call = () => callWallet(PATH, "requestAccounts", [], CONNECT_TEXTS);
    const found = await walletAnswer(call, accounts, CONNECT_TEXTS);
    const payment = found.find(({ purpose }) => purpose === "payment");
    const ordinals = found.find(({ purpose }) => purpose === "ordinals");
    if (!payment || !ordinals) throw new WalletError("failed", "missing user addresses!");
    requireNetwork(ordinals.address, network);
    return {
      wallet: PATH,
      accountName: null,
      hardwareWallet: false,
      addresses: {
        payment: { address: payment.address, pubKey: payment.publicKey.toLowerCase() },
        ordinals: { address: ordinals.address, pubKey: ordinals.publicKey.toLowerCase().slice(-64) },
      },
    };
  }

  async signMessage(address: string, message: string): Promise<string> {
    const text = new TextEncoder().encode(message);
    const call = () => callWallet(PATH, "signMessage", [address, text], MESSAGE_TEXTS);
    const { signature } = await walletAnswer(call, v.object({ signature: bytes }), MESSAGE_TEXTS);
    return base64.encode(signature);
  }

  async signPsbt({ transactionBase64, sides }: TransactionToSign): Promise<string> {
    const options = { inputsToSign: inputsToSign(sides) };
    const psbt = base64.decode(transactionBase64);
    const call = () => callWallet(PATH, "signPSBT", [psbt, options], PSBT_TEXTS);
    return base64.encode(await walletAnswer(call, bytes, PSBT_TEXTS));
  }

  watch(onChange: () => void): () => void {
    return listen(PATH, ["accountsChanged"], onChange);
  }

  async disconnect(): Promise<void> {
    // Phantom has no such call: permissions are revoked in the wallet.
  }
}
