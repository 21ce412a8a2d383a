import { base64, hex } from "@scure/base";
import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import {
  type CallTexts,
  CONNECT_TEXTS,
  callWallet,
  MESSAGE_TEXTS,
  PSBT_TEXTS,
  walletAnswer,
  walletErrorOf,
} from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { requireNetwork } from "./wallet-network";

const PATH = "LeatherProvider";

const account = v.object({
  addresses: v.array(
    v.object({
      symbol: v.string(),
      type: v.optional(v.string()),
      address: v.string(),
      publicKey: v.optional(v.string()),
    }),
  ),
});
const signature = v.object({ signature: v.string() });
const signedHex = v.object({ hex: v.pipe(v.string(), v.regex(/^([0-9a-fA-F]{2})+$/)) });

/** Leather's names of the networks; a private chain is `devnet`. */
const NETWORK: Record<BitcoinNetwork, string> = {
  bitcoin: "mainnet",
  testnet: "testnet",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "devnet",
};

/** Leather: JSON-RPC, BIP-322 by kind of address, PSBTs in hexadecimal. */
export class LeatherConnector implements WalletConnector {
  readonly id = PATH;
  #network: BitcoinNetwork | null = null;

  async connect(network: BitcoinNetwork): Promise<ConnectedWallet> {
    const { addresses } = await this.#request("getAddresses", undefined, account, CONNECT_TEXTS);
    const bitcoin = addresses.filter(({ symbol }) => symbol === "BTC");
    const payment = bitcoin.find(({ type }) => type === "p2wpkh");
    const ordinals = bitcoin.find(({ type }) => type === "p2tr");
    if (!payment?.publicKey || !ordinals?.publicKey)
      throw new WalletError("failed", "missing user addresses!");
    requireNetwork(ordinals.address, network);
    this.#network = network;
    return {
      wallet: this.id,
      accountName: null,
      hardwareWallet: false,
      addresses: {
        payment: { address: payment.address, pubKey: payment.publicKey.toLowerCase() },
        // A taproot key of 33 bytes begins with its parity, which addresses do not have.
        ordinals: { address: ordinals.address, pubKey: ordinals.publicKey.toLowerCase().slice(-64) },
      },
    };
  }

  async signMessage(address: string, message: string): Promise<string> {
    const paymentType = /^(bc|tb|bcrt)1p/i.test(address) ? "p2tr" : "p2wpkh";
    const params = { message, paymentType, ...this.#networkField() };
    return (await this.#request("signMessage", params, signature, MESSAGE_TEXTS)).signature;
  }

  async signPsbt({ transactionBase64, sides }: TransactionToSign): Promise<string> {
    const params = {
      hex: hex.encode(base64.decode(transactionBase64)),
      signAtIndex: sides.map(({ index }) => index),
      allowedSighash: [...new Set(sides.map(({ sighash }) => sighash))],
      broadcast: false,
      ...this.#networkField(),
    };
    const answer = await this.#request("signPsbt", params, signedHex, PSBT_TEXTS);
    return base64.encode(hex.decode(answer.hex.toLowerCase()));
  }

  watch(): () => void {
    // Leather does not report account changes; the server refuses a signature by another account.
    return () => undefined;
  }

  async disconnect(): Promise<void> {
    this.#network = null;
  }

  #networkField() {
    return this.#network === null ? {} : { network: NETWORK[this.#network] };
  }

  async #request<const Schema extends v.GenericSchema>(
    method: string,
    params: unknown,
    schema: Schema,
    texts: CallTexts,
  ): Promise<v.InferOutput<Schema>> {
    const envelope = v.object({ result: v.optional(v.unknown()), error: v.optional(v.unknown()) });
    const call = () => callWallet(PATH, "request", [method, params], texts);
    // Refusals reject, in the same envelope as results.
    const { result, error } = await walletAnswer(
      async () => {
        try {
          return await call();
        } catch (thrown) {
          throw (thrown as { error?: unknown } | null)?.error ?? thrown;
        }
      },
      envelope,
      texts,
    );
    if (error !== undefined && error !== null) throw walletErrorOf(error, texts);
    return walletAnswer(() => result, schema, texts);
  }
}
