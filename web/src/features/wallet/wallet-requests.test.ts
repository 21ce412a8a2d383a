/// <reference types="node" />
import { readFileSync } from "node:fs";
import { base64, hex } from "@scure/base";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { connectorFor } from "./wallet-choices";

/**
 * Golden files: the server's unsigned PSBTs, and the requests made of them here, which the wallet doubles of
 * the server's tests sign.
 */
const DIRECTORY = "../../../../engine/escrow/tests/wallets";
const unsignedTransactions = JSON.parse(
  readFileSync(new URL(`${DIRECTORY}/handed-out.golden.json`, import.meta.url), "utf8"),
) as Array<TransactionToSign & { name: string; wallets: string[] }>;

/** A PSBT's bytes as JSON, which has no byte type. */
const written = (_: string, value: unknown) =>
  value instanceof Uint8Array ? { base64: base64.encode(value) } : value;

/** A wallet that rejects every call and records it. */
function remembering() {
  const calls: unknown[][] = [];
  const sign = async (...args: unknown[]) => {
    calls.push(args);
    throw { code: 4_001, message: "User rejected the request." };
  };
  const wallet = { request: sign, signPsbt: sign, signPSBT: sign };
  const root = {
    okxwallet: { bitcoin: wallet },
    unisat: wallet,
    XverseProviders: { BitcoinProvider: wallet },
    LeatherProvider: wallet,
    phantom: { bitcoin: wallet },
  };
  return { root, calls };
}

afterEach(() => vi.unstubAllGlobals());

describe("the requests to wallets for the server's transactions", () => {
  it("equal those that the server's tests sign", async () => {
    const requests: Record<string, Record<string, unknown>> = {};
    for (const { name, wallets, transactionBase64, sides } of unsignedTransactions) {
      for (const id of wallets) {
        const { root, calls } = remembering();
        vi.stubGlobal("window", root);
        const connector = await connectorFor(id);
        await expect(connector.signPsbt({ transactionBase64, sides })).rejects.toMatchObject({
          kind: "cancelled",
        });
        requests[id] = { ...requests[id], [name]: calls[0] };
      }
    }
    await expect(`${JSON.stringify(requests, written, 2)}\n`).toMatchFileSnapshot(
      `${DIRECTORY}/requests.golden.json`,
    );
  });
});

describe("a repayment that OKX Wallet pre-signs", () => {
  const payout = unsignedTransactions.find(({ name }) => name === "one-address/payout-version-3");
  if (!payout) throw new Error("the golden file has no such case");

  it("is not submitted without a signature that commits to the required sighash", async () => {
    const unsigned = hex.encode(base64.decode(payout.transactionBase64));
    vi.stubGlobal("window", { okxwallet: { bitcoin: { signPsbt: async () => unsigned } } });
    const connector = await connectorFor("okxwallet.bitcoin");
    await expect(connector.signPsbt(payout)).rejects.toMatchObject({
      kind: "failed",
      message: expect.stringContaining("Lend from a vault, or connect another wallet."),
    });
  });
});
