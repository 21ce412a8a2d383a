import { randomBytes, randomUUID } from "node:crypto";
import { type APIRequestContext, expect, request } from "@playwright/test";
import { base64 } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import { baseURL, devnetURL } from "../playwright.config";
import type { components } from "../src/shared/api/schema.gen";
import { networkParameters } from "../src/shared/bitcoin/network";
import { keysFromSeed, type SeedKeys } from "../src/shared/bitcoin/seed-keys";
import { parsePsbt } from "../src/shared/bitcoin/transaction-flow";
import { openSession } from "./browser-session";
import { RETRIES } from "./retries";

/** The dev wallet's accounts of these names, by the index that their keys are derived from. */
export const [LENDER_1, LENDER_2, LENDER_3, BORROWER_1] = [0, 1, 2, 3];

/** A request for signatures. */
export interface ToSign {
  transactionBase64: string;
  sides: ReadonlyArray<{ index: number; address: string }>;
}

/** An unspent output of a party. */
interface Coin {
  txid: string;
  vout: number;
  sats: number;
}

/** A user who trades through the server's API with own keys and signatures, and without a browser. */
export class Party {
  /** The parties of the running test. */
  private static joined: Party[] = [];

  readonly keys: SeedKeys;
  private readonly http: APIRequestContext;
  private readonly token: string;

  private constructor(keys: SeedKeys, http: APIRequestContext, token: string) {
    this.keys = keys;
    this.http = http;
    this.token = token;
  }

  /** Signs in, with a browser's seed for the same user, otherwise with a new one. */
  static async join(
    seed: Uint8Array = new Uint8Array(randomBytes(32)),
    account = 0,
    url = baseURL,
  ): Promise<Party> {
    const http = await request.newContext({ baseURL: url });
    const keys = keysFromSeed(seed, "regtest", account);
    const { token } = await openSession(http, keys);
    const party = new Party(keys, http, token);
    Party.joined.push(party);
    return party;
  }

  /** Cancels the manual offers of all parties that no loan holds, and closes their connections. */
  static async leaveAll(): Promise<void> {
    const leaving = Party.joined.splice(0);
    for (const party of leaving) {
      await party.cancelOffers();
      await party.http.dispose();
    }
  }

  private async cancelOffers(): Promise<void> {
    type Offers = components["schemas"]["OffersPage"];
    // A server that the test has stopped keeps nothing for the tests after it.
    const offers = await this.call<Offers>("GET", "/api/v1/offers").catch(() => null);
    const offerIds = (offers?.data ?? [])
      .filter(({ loanProcessType, tags }) => loanProcessType === "Manual" && !tags.includes("under offer"))
      .map(({ offerId }) => offerId);
    if (offerIds.length > 0) await this.call("POST", "/api/v1/offers/manual/cancel", { offerIds });
  }

  async call<Answer>(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    data?: object,
  ): Promise<Answer> {
    const headers = { Authorization: `Bearer ${this.token}`, "Idempotency-Key": randomUUID() };
    // A server may close an idle connection just then; the idempotency key makes it the same request.
    const answer = await this.http.fetch(path, { method, data, headers, maxRetries: RETRIES });
    expect(answer.ok(), `${method} ${path}: ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? (null as Answer) : answer.json();
  }

  /** The addresses of this user, as the borrower of a request. */
  borrowerFields(): object {
    const { payment, ordinals } = this.keys;
    return {
      borrower_wallet: "DevWallet",
      borrower_payment_address: payment.address,
      borrower_payment_pubkey: payment.pubKey,
      borrower_ordinal_address: ordinals.address,
      borrower_ordinal_pubkey: ordinals.pubKey,
      hardware_wallet: false,
    };
  }

  sign({ transactionBase64, sides }: ToSign): string {
    const transaction = parsePsbt(transactionBase64);
    for (const { index, address } of sides) {
      const { payment, ordinals } = this.keys;
      const key = address === payment.address ? payment : ordinals;
      const { tapInternalKey, tapLeafScript } = transaction.getInput(index);
      if (key.tapInternalKey && !tapInternalKey && !tapLeafScript) {
        transaction.updateInput(index, { tapInternalKey: key.tapInternalKey });
      }
      transaction.signIdx(key.privateKey, index, [0x00, 0x01, 0x83]);
    }
    return base64.encode(transaction.toPSBT());
  }

  /**
   * Gets coins from the faucet, by default 1 BTC, or an inscription of a collection, whose id is returned.
   */
  async fund(what: string | number = 100_000_000): Promise<string | null> {
    const body = typeof what === "string" ? { collection_group_slug: what } : { amount: String(what) };
    const received = await this.call<{ inscriptionId: string | null }>("POST", `${devnetURL}/faucet`, body);
    return received.inscriptionId;
  }

  /** The same as a single coin, which is returned. */
  async fundCoin(sats: number): Promise<Coin> {
    const body = { amount: String(sats) };
    const { txid, vout } = await this.call<Omit<Coin, "sats">>("POST", `${devnetURL}/faucet`, body);
    return { txid, vout, sats };
  }

  /** Spends a coin of the payment address to that address, outside of the market. */
  async spend({ txid, vout, sats }: Coin): Promise<void> {
    const { address, privateKey, script } = this.keys.payment;
    const transaction = new Transaction();
    transaction.addInput({ txid, index: vout, witnessUtxo: { script, amount: BigInt(sats) } });
    transaction.addOutputAddress(address, BigInt(sats - 500), networkParameters("regtest"));
    transaction.sign(privateKey);
    transaction.finalize();
    await this.call("POST", `${devnetURL}/broadcast`, { transaction: transaction.hex });
  }

  /**
   * Gets a raw amount of a collection's tokens; for BRC-20 as an available balance, or as a transfer
   * inscription.
   */
  async fundTokens(collectionGroupSlug: string, amount: string, asTransfer = false): Promise<void> {
    const body = { collection_group_slug: collectionGroupSlug, amount, as_note: asTransfer };
    await this.call("POST", `${devnetURL}/faucet`, body);
  }

  /** The loans of this user on either side, the latest first. */
  async loans(): Promise<ReadonlyArray<components["schemas"]["LoanView"]>> {
    const { data } = await this.call<{ data: components["schemas"]["LoanView"][] }>(
      "GET",
      "/api/v1/me/loans",
    );
    return data;
  }

  /** Has a block mined at once. */
  async mine(): Promise<void> {
    await this.call("POST", `${devnetURL}/mine`);
  }
}
