/// <reference types="node" />
import { readFileSync } from "node:fs";
import { base64, hex } from "@scure/base";
import { SigHash, Transaction } from "@scure/btc-signer";
import { describe, expect, it } from "vitest";
import { keysFromSeed } from "@/shared/bitcoin/seed-keys";
import { hasLeafSignature } from "./leaf-signature";

interface UnsignedPayout {
  name: string;
  transactionBase64: string;
}
const cases = JSON.parse(
  readFileSync(
    new URL("../../../../engine/escrow/tests/wallets/handed-out.golden.json", import.meta.url),
    "utf8",
  ),
) as UnsignedPayout[];
const payout = cases.find(({ name }) => name === "native/payout-version-3")?.transactionBase64 ?? "";
const ESCROW = 2;
const SINGLE = 131;

const { ordinals } = keysFromSeed(new Uint8Array(32).fill(2), "regtest");
const unsignedPayout = () => Transaction.fromPSBT(base64.decode(payout), { allowUnknownInputs: true });

/** The transaction with the signature of the lender's key, as in the server's tests. */
function signedBy(transaction: Transaction): Transaction {
  transaction.signIdx(ordinals.privateKey, ESCROW, [SigHash.DEFAULT, SigHash.SINGLE_ANYONECANPAY]);
  return transaction;
}

const signed = () => base64.encode(signedBy(unsignedPayout()).toPSBT());

/** The result of OKX's signer: it hashes the whole transaction, and appends the byte of the other sighash. */
function mislabelled(): string {
  const whole = unsignedPayout();
  whole.updateInput(ESCROW, { sighashType: undefined }, true);
  const [entry] = signedBy(whole).getInput(ESCROW).tapScriptSig ?? [];
  if (!entry) throw new Error("nothing is signed");
  const [key, signature] = entry;
  const answer = unsignedPayout();
  answer.updateInput(ESCROW, { tapScriptSig: [[key, Uint8Array.of(...signature, SINGLE)]] }, true);
  return base64.encode(answer.toPSBT());
}

describe("a script path signature", () => {
  it("is accepted when it is valid", () => {
    expect(hasLeafSignature(payout, signed(), ESCROW, SINGLE)).toBe(true);
  });

  it("is missing when nothing is signed, or only another input is", () => {
    expect(hasLeafSignature(payout, payout, ESCROW, SINGLE)).toBe(false);
    expect(hasLeafSignature(payout, signed(), 0, SINGLE)).toBe(false);
  });

  it("is rejected when it commits to something else", () => {
    expect(hasLeafSignature(payout, signed(), ESCROW, SigHash.ALL)).toBe(false);
    expect(hasLeafSignature(payout, mislabelled(), ESCROW, SINGLE)).toBe(false);
  });

  it("is not found in invalid input", () => {
    for (const text of ["", "AA==", base64.encode(hex.decode("70736274ff"))]) {
      expect(hasLeafSignature(payout, text, ESCROW, SINGLE)).toBe(false);
      expect(hasLeafSignature(text, signed(), ESCROW, SINGLE)).toBe(false);
    }
  });
});
