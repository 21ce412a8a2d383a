import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { type CallTexts, CONNECT_TEXTS, MESSAGE_TEXTS, PSBT_TEXTS, walletErrorOf } from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { NETWORK_NAME, requireNetwork } from "./wallet-network";
import { findProvider } from "./wallet-provider";

const answer = v.object({ result: v.optional(v.unknown()), error: v.optional(v.unknown()) });

const account = v.object({
  addresses: v.array(
    v.object({
      address: v.string(),
      publicKey: v.string(),
      purpose: v.string(),
      walletType: v.optional(v.string()),
    }),
  ),
  walletType: v.optional(v.string()),
  name: v.optional(v.string()),
});
const signed = v.object({ signature: v.string() });
const signedPsbt = v.object({ psbt: v.pipe(v.string(), v.minLength(1)) });

/**
 * A wallet with a sats-connect style provider on `window`. The provider is looked up at every call: it may
 * load late.
 */
export class ProviderConnector implements WalletConnector {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  async connect(network: BitcoinNetwork): Promise<ConnectedWallet> {
    const { addresses, walletType, name } = await this.#call("wallet_connect", account, {
      ...CONNECT_TEXTS,
      params: {
        addresses: ["payment", "ordinals"],
        message: "Lienbook asks for the addresses you lend and borrow with.",
        network: NETWORK_NAME[network],
      },
    });
    const payment = addresses.find(({ purpose }) => purpose === "payment");
    const ordinals = addresses.find(({ purpose }) => purpose === "ordinals");
    if (!payment || !ordinals) throw new WalletError("failed", "missing user addresses!");
    requireNetwork(ordinals.address, network);
    const kinds = [walletType, payment.walletType, ordinals.walletType];
    return {
      wallet: this.id,
      accountName: name ?? null,
      hardwareWallet: kinds.some((kind) => kind !== undefined && kind !== "software"),
      addresses: {
        // In lower case, as in the signed message.
        payment: { address: payment.address, pubKey: payment.publicKey.toLowerCase() },
        ordinals: { address: ordinals.address, pubKey: ordinals.publicKey.toLowerCase() },
      },
    };
  }

  async signMessage(address: string, message: string, protocol: "BIP322"): Promise<string> {
    const { signature } = await this.#call("signMessage", signed, {
      ...MESSAGE_TEXTS,
      params: { address, message, protocol },
    });
    return signature;
  }

  async signPsbt({ transactionBase64, sides }: TransactionToSign): Promise<string> {
    const { psbt } = await this.#call("signPsbt", signedPsbt, {
      ...PSBT_TEXTS,
      params: { psbt: transactionBase64, signInputs: signInputs(sides), broadcast: false },
    });
    return psbt;
  }

  watch(onChange: () => void): () => void {
    const provider = findProvider(this.id);
    const stops = ["accountChange", "networkChange", "disconnect"].map((eventName) =>
      provider?.addListener?.({ eventName, cb: onChange }),
    );
    return () => {
      for (const stop of stops) if (typeof stop === "function") stop();
    };
  }

  async disconnect(): Promise<void> {
    // Not every wallet supports this call, and signing out must work without it.
    await findProvider(this.id)
      ?.request("wallet_disconnect")
      .catch(() => undefined);
  }

  async #call<const Schema extends v.GenericSchema>(
    method: string,
    schema: Schema,
    texts: CallTexts & { params: unknown },
  ): Promise<v.InferOutput<Schema>> {
    const provider = findProvider(this.id);
    if (!provider) throw new WalletError("absent", texts.absent);
    // Some wallets resolve with an error, others reject with one.
    const raw = await provider.request(method, texts.params).catch((error: unknown) => ({ error }));
    const parsed = v.safeParse(answer, raw);
    if (!parsed.success) throw new WalletError("failed", texts.failed);
    const { result, error } = parsed.output;
    if (error !== undefined && error !== null) {
      throw walletErrorOf(error, texts);
    }
    const read = v.safeParse(schema, result);
    if (!read.success) throw new WalletError("failed", texts.failed);
    return read.output;
  }
}

/** The inputs that each address signs. The sighash of each is in the PSBT. */
function signInputs(sides: TransactionToSign["sides"]): Record<string, number[]> {
  const byAddress: Record<string, number[]> = {};
  for (const { address, index } of sides) {
    byAddress[address] ??= [];
    byAddress[address].push(index);
  }
  return byAddress;
}
