/// <reference types="node" />
import { readFileSync } from "node:fs";
import { base64, hex } from "@scure/base";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { connectorFor } from "./wallet-choices";

/** What the server hands out, and what is made of it here: the doubles of the wallets in the server's tests sign that. */
const DIRECTORY = "../../../../engine/escrow/tests/wallets";
const handedOut = JSON.parse(
  readFileSync(new URL(`${DIRECTORY}/handed-out.golden.json`, import.meta.url), "utf8"),
) as Array<TransactionToSign & { name: string; wallets: string[] }>;

/** A PSBT as bytes, which JSON has no word for. */
const written = (_: string, value: unknown) =>
  value instanceof Uint8Array ? { base64: base64.encode(value) } : value;

/** A wallet that refuses everything and remembers what it was asked. */
function remembering() {
  const asked: unknown[][] = [];
  const sign = async (...given: unknown[]) => {
    asked.push(given);
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
  return { root, asked };
}

afterEach(() => vi.unstubAllGlobals());

describe("what wallets are asked for the server's transactions", () => {
  it("is what the server's tests have signed", async () => {
    const requests: Record<string, Record<string, unknown>> = {};
    for (const { name, wallets, transactionBase64, sides } of handedOut) {
      for (const id of wallets) {
        const { root, asked } = remembering();
        vi.stubGlobal("window", root);
        const connector = await connectorFor(id);
        await expect(connector.signPsbt({ transactionBase64, sides })).rejects.toMatchObject({
          kind: "cancelled",
        });
        requests[id] = { ...requests[id], [name]: asked[0] };
      }
    }
    await expect(`${JSON.stringify(requests, written, 2)}\n`).toMatchFileSnapshot(
      `${DIRECTORY}/requests.golden.json`,
    );
  });
});

describe("a repayment that OKX Wallet signs in advance", () => {
  const payout = handedOut.find(({ name }) => name === "one-address/payout-version-3");
  if (!payout) throw new Error("the golden file has no such case");

  it("is not sent on without a signature that commits to what it must", async () => {
    const unsigned = hex.encode(base64.decode(payout.transactionBase64));
    vi.stubGlobal("window", { okxwallet: { bitcoin: { signPsbt: async () => unsigned } } });
    const connector = await connectorFor("okxwallet.bitcoin");
    await expect(connector.signPsbt(payout)).rejects.toMatchObject({
      kind: "failed",
      message: expect.stringContaining("Lend from a vault, or connect another wallet."),
    });
  });
});
