import * as v from "valibot";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import type { WalletAssets, WalletInscription, WalletRune } from "@/shared/bitcoin/wallet-assets";
import { type CallTexts, CONNECT_TEXTS, MESSAGE_TEXTS, PSBT_TEXTS, walletErrorOf } from "./wallet-call";
import type { ConnectedWallet, WalletConnector } from "./wallet-connector";
import { WalletError } from "./wallet-error";
import { NETWORK_NAME, requireNetwork } from "./wallet-network";
import { findProvider } from "./wallet-provider";

/** Wallets give this many at once at most, and nobody is shown more than this many pages. */
const INSCRIPTIONS_PER_PAGE = 60;
const INSCRIPTION_PAGES_MAX = 20;

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
const inscriptionPage = v.object({
  total: v.number(),
  inscriptions: v.array(
    v.object({
      inscriptionId: v.string(),
      inscriptionNumber: v.nullish(v.union([v.string(), v.number()]), null),
      collectionName: v.nullish(v.string(), null),
    }),
  ),
});
const runeBalances = v.object({
  balances: v.array(v.object({ runeName: v.string(), amount: v.pipe(v.string(), v.regex(/^\d{1,40}$/)) })),
});
const signedPsbt = v.object({ psbt: v.pipe(v.string(), v.minLength(1)) });

/** A wallet with a sats-connect style provider on `window`. The provider is looked up at every call: it may come late. */
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
        // In lower case, as the message that is signed must spell them.
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

  async assets(): Promise<WalletAssets> {
    const [inscriptions, runes] = await Promise.all([this.#inscriptions(), this.#runes()]);
    return { inscriptions, runes };
  }

  async #inscriptions(): Promise<WalletInscription[] | null> {
    const found: WalletInscription[] = [];
    for (let page = 0; page < INSCRIPTION_PAGES_MAX; page += 1) {
      const answer = await this.#ask("ord_getInscriptions", inscriptionPage, {
        offset: found.length,
        limit: INSCRIPTIONS_PER_PAGE,
      });
      if (!answer) return page === 0 ? null : found;
      for (const { inscriptionId, inscriptionNumber, collectionName } of answer.inscriptions) {
        const number = inscriptionNumber === null ? null : String(inscriptionNumber);
        found.push({ inscriptionId, number, collectionName });
      }
      if (answer.inscriptions.length === 0 || found.length >= answer.total) break;
    }
    return found;
  }

  async #runes(): Promise<WalletRune[] | null> {
    const answer = await this.#ask("runes_getBalance", runeBalances, null);
    return answer
      ? answer.balances.map(({ runeName, amount }) => ({ name: runeName, raw: BigInt(amount) }))
      : null;
  }

  /** What the wallet answers to something that not every wallet knows; null when it does not. */
  async #ask<const Schema extends v.GenericSchema>(method: string, schema: Schema, params: unknown) {
    const texts = {
      absent: "Please reconnect your wallet",
      cancelled: "Wallet request was cancelled",
      failed: "Unknown method",
      params,
    };
    return await this.#call(method, schema, texts).catch((error: unknown) => {
      if (error instanceof WalletError && error.kind === "failed") return null;
      throw error;
    });
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
    // Not every wallet knows this call, and leaving must work without it.
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

/** Which inputs each address signs. The sighash of each stands in the PSBT. */
function signInputs(sides: TransactionToSign["sides"]): Record<string, number[]> {
  const byAddress: Record<string, number[]> = {};
  for (const { address, index } of sides) {
    byAddress[address] ??= [];
    byAddress[address].push(index);
  }
  return byAddress;
}
