import { base64urlnopad } from "@scure/base";
import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { inputsToSign } from "./inputs-to-sign";
import { CONNECT_TEXTS, callWallet, listen, MESSAGE_TEXTS, PSBT_TEXTS, walletAnswer } from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { NETWORK_NAME, requireNetwork } from "./wallet-network";

const PATH = "magicEden.bitcoin";

const account = v.object({
  addresses: v.array(v.object({ address: v.string(), publicKey: v.string(), purpose: v.string() })),
});
const signed = v.object({ psbtBase64: v.pipe(v.string(), v.minLength(1)) });

/** A request as the older sats-connect style wraps it: a token without a signature. */
export function unsecuredToken(payload: unknown): string {
  const part = (value: unknown) => base64urlnopad.encode(new TextEncoder().encode(JSON.stringify(value)));
  return `${part({ typ: "JWT", alg: "none" })}.${part(payload)}.`;
}

/** Magic Eden: the older sats-connect style, where every request is such a token. */
export class MagicEdenConnector implements WalletConnector {
  readonly id = PATH;
  #network: BitcoinNetwork = "bitcoin";

  async connect(network: BitcoinNetwork): Promise<ConnectedWallet> {
    const request = unsecuredToken({
      purposes: ["ordinals", "payment"],
      message: "Lienbook asks for the addresses you lend and borrow with.",
      network: { type: NETWORK_NAME[network] },
    });
    const ask = () => callWallet(PATH, "connect", [request], CONNECT_TEXTS);
    const { addresses } = await walletAnswer(ask, account, CONNECT_TEXTS);
    const payment = addresses.find(({ purpose }) => purpose === "payment");
    const ordinals = addresses.find(({ purpose }) => purpose === "ordinals");
    if (!payment || !ordinals) throw new WalletError("failed", "missing user addresses!");
    requireNetwork(ordinals.address, network);
    this.#network = network;
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

  signMessage(address: string, message: string, protocol: "BIP322"): Promise<string> {
    const network = { type: NETWORK_NAME[this.#network] };
    const request = unsecuredToken({ address, message, protocol, network });
    const ask = () => callWallet(PATH, "signMessage", [request], MESSAGE_TEXTS);
    return walletAnswer(ask, v.pipe(v.string(), v.minLength(1)), MESSAGE_TEXTS);
  }

  async signPsbt({ transactionBase64, sides }: TransactionToSign): Promise<string> {
    const request = unsecuredToken({
      network: { type: NETWORK_NAME[this.#network] },
      message: "Sign the transaction of a loan",
      psbtBase64: transactionBase64,
      broadcast: false,
      inputsToSign: inputsToSign(sides),
    });
    const ask = () => callWallet(PATH, "signTransaction", [request], PSBT_TEXTS);
    return (await walletAnswer(ask, signed, PSBT_TEXTS)).psbtBase64;
  }

  watch(onChange: () => void): () => void {
    return listen(PATH, ["accountsChanged"], onChange);
  }

  async disconnect(): Promise<void> {
    // It has no such call: permissions are taken back in the wallet.
  }
}
