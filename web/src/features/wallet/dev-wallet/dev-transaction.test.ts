import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { base64, hex } from "@scure/base";
import {
  OutScript,
  p2tr,
  p2wpkh,
  Script,
  SigHash,
  TAPROOT_UNSPENDABLE_KEY,
  Transaction,
} from "@scure/btc-signer";
import { describe, expect, it, vi } from "vitest";
import { networkParameters } from "@/shared/bitcoin/network";
import { keysFromSeed } from "@/shared/bitcoin/seed-keys";
import { parsePsbt } from "@/shared/bitcoin/transaction-flow";
import type { DevAccount } from "./dev-accounts";
import { type DevPrompts, devRequests } from "./dev-requests";
import { type DevSigning, readSigning } from "./dev-transaction";

const NETWORK = networkParameters("regtest");
const account = (name: string, byte: number): DevAccount => ({
  name,
  keys: keysFromSeed(new Uint8Array(32).fill(byte), "regtest"),
});
const borrower = account("Borrower 1", 1);
const lender = account("Lender 1", 2);
const accounts = [borrower, lender];
const { payment, ordinals } = borrower.keys;

const xOnly = (key: { pubKey: string }) => hex.decode(key.pubKey);

/** A loan's escrow: the borrower with the lender, or the lender alone; its internal key is unspendable. */
const repayScript = Script.encode([
  xOnly(ordinals),
  "CHECKSIGVERIFY",
  xOnly(lender.keys.ordinals),
  "CHECKSIG",
]);
const claimScript = Script.encode([xOnly(lender.keys.ordinals), "CHECKSIG"]);
const escrow = p2tr(
  TAPROOT_UNSPENDABLE_KEY,
  [{ script: repayScript }, { script: claimScript }],
  NETWORK,
  true,
);
const repayLeaf = escrow.tapLeafScript?.filter(([, script]) =>
  hex.encode(script).startsWith(hex.encode(repayScript)),
);

const txid = (byte: number) => new Uint8Array(32).fill(byte);

/** Spends a coin of each kind: payments, ordinals, and the escrow by its repay leaf. */
function spendingAll(change: (transaction: Transaction) => void = () => undefined): string {
  const transaction = new Transaction({ version: 2 });
  transaction.addInput({
    txid: txid(1),
    index: 0,
    witnessUtxo: { script: payment.script, amount: 90_000n },
  });
  transaction.addInput({
    txid: txid(2),
    index: 1,
    witnessUtxo: { script: ordinals.script, amount: 546n },
    tapInternalKey: xOnly(ordinals),
  });
  transaction.addInput({
    txid: txid(3),
    index: 2,
    witnessUtxo: { script: escrow.script, amount: 10_000n },
    tapInternalKey: TAPROOT_UNSPENDABLE_KEY,
    tapLeafScript: repayLeaf,
  });
  transaction.addOutput({ script: ordinals.script, amount: 546n });
  transaction.addOutput({ script: payment.script, amount: 40_000n });
  transaction.addOutput({ script: lender.keys.payment.script, amount: 59_000n });
  change(transaction);
  return base64.encode(transaction.toPSBT());
}

const ALL_INPUTS = { [payment.address]: [0], [ordinals.address]: [1, 2] };
const signed = (psbt: string, inputs: unknown = ALL_INPUTS) =>
  parsePsbt(readSigning(accounts, "regtest", psbt, inputs).sign());

/** The hash that the taproot signature of an input commits to, recomputed. */
function taprootHash(
  transaction: Transaction,
  index: number,
  sighash: number,
  leaf?: Uint8Array,
): Uint8Array {
  const spent = [0, 1, 2].map((each) => transaction.getInput(each).witnessUtxo);
  return transaction.preimageWitnessV1(
    index,
    spent.map((utxo) => utxo?.script ?? new Uint8Array()),
    sighash,
    spent.map((utxo) => utxo?.amount ?? 0n),
    undefined,
    leaf,
    leaf ? 0xc0 : undefined,
  );
}

describe("the signatures of the dev wallet", () => {
  it("verify for a payment coin, with the sighash at their end", () => {
    const transaction = signed(spendingAll());
    const [key, signature] = transaction.getInput(0).partialSig?.[0] ?? [];
    if (!key || !signature) throw new Error("there is no signature");
    expect(hex.encode(key)).toBe(payment.pubKey);
    expect(signature.at(-1)).toBe(SigHash.ALL);
    const program = OutScript.encode({ type: "pkh", hash: p2wpkh(key, NETWORK).hash });
    const digest = transaction.preimageWitnessV0(0, program, SigHash.ALL, 90_000n);
    const options = { prehash: false, format: "der" } as const;
    expect(secp256k1.verify(signature.slice(0, -1), digest, key, options)).toBe(true);
  });

  it("verify for an ordinals coin under its tweaked key", () => {
    const transaction = signed(spendingAll());
    const signature = transaction.getInput(1).tapKeySig;
    expect(signature).toHaveLength(64);
    const outputKey = ordinals.script.slice(2);
    expect(schnorr.verify(signature ?? new Uint8Array(), taprootHash(transaction, 1, 0), outputKey)).toBe(
      true,
    );
  });

  it("verify for the escrow's leaf under the key in its script", () => {
    const transaction = signed(spendingAll());
    const [found] = transaction.getInput(2).tapScriptSig ?? [];
    if (!found) throw new Error("there is no signature");
    expect(hex.encode(found[0].pubKey)).toBe(ordinals.pubKey);
    const hash = taprootHash(transaction, 2, 0, repayScript);
    expect(schnorr.verify(found[1], hash, xOnly(ordinals))).toBe(true);
    expect(transaction.getInput(2).tapKeySig).toBeUndefined();
  });

  it("commit to exactly the sighash of the PSBT's input", () => {
    const psbt = spendingAll((transaction) =>
      transaction.updateInput(2, { sighashType: SigHash.SINGLE_ANYONECANPAY }),
    );
    const signing = readSigning(accounts, "regtest", psbt, { [ordinals.address]: [2] });
    expect(signing.isOpenEnded).toBe(true);
    const transaction = parsePsbt(signing.sign());
    const signature = transaction.getInput(2).tapScriptSig?.[0]?.[1] ?? new Uint8Array();
    expect(signature.at(-1)).toBe(0x83);
    const hash = taprootHash(transaction, 2, 0x83, repayScript);
    expect(schnorr.verify(signature.slice(0, 64), hash, xOnly(ordinals))).toBe(true);
  });

  it("are returned where the PSBT does not name the internal key of an own coin", () => {
    const psbt = spendingAll((transaction) => transaction.updateInput(1, { tapInternalKey: undefined }));
    expect(signed(psbt).getInput(1).tapKeySig).toHaveLength(64);
  });

  it("are returned only for the named inputs, and the transaction is unchanged", () => {
    const psbt = spendingAll();
    const transaction = signed(psbt, { [ordinals.address]: [1] });
    expect(transaction.getInput(0).partialSig ?? []).toEqual([]);
    expect(transaction.getInput(2).tapScriptSig ?? []).toEqual([]);
    expect(transaction.id).toBe(parsePsbt(psbt).id);
  });

  it("complete the transaction together with those of the lender", () => {
    const both = readSigning(accounts, "regtest", base64.encode(signed(spendingAll()).toPSBT()), {
      [lender.keys.ordinals.address]: [2],
    }).sign();
    const transaction = parsePsbt(both);
    transaction.finalize();
    expect(transaction.isFinal).toBe(true);
    expect(hex.encode(concatBytes(...(transaction.getInput(2).finalScriptWitness ?? [])))).toContain(
      hex.encode(repayScript),
    );
  });
});

describe("the dev wallet refuses", () => {
  it.each<[string, string, unknown, RegExp]>([
    ["what is no PSBT", base64.encode(Uint8Array.of(1, 2)), ALL_INPUTS, /not a PSBT/],
    ["text that is not base64", "?", ALL_INPUTS, /not a PSBT/],
    ["a request without inputs", spendingAll(), {}, /No inputs/],
    ["a request that names none", spendingAll(), undefined, /No inputs/],
    ["an address of another user", spendingAll(), { bcrt1q: [0] }, /No account/],
    [
      "two accounts at once",
      spendingAll(),
      { [payment.address]: [0], [lender.keys.ordinals.address]: [2] },
      /several accounts/,
    ],
    ["an input that is not there", spendingAll(), { [payment.address]: [3] }, /no input 3/],
    ["an index that is no number", spendingAll(), { [payment.address]: ["0"] }, /not a number/],
    ["a negative index", spendingAll(), { [payment.address]: [-1] }, /not a number/],
    ["a coin of its other address", spendingAll(), { [payment.address]: [1] }, /not of this account/],
    [
      "a coin of another account",
      spendingAll(),
      { [lender.keys.payment.address]: [0] },
      /not of this account/,
    ],
    [
      "to sign nothing of what is paid",
      spendingAll((transaction) => transaction.updateInput(0, { sighashType: SigHash.NONE })),
      ALL_INPUTS,
      /kind of signature/,
    ],
    [
      "to let others choose what is paid",
      spendingAll((transaction) => transaction.updateInput(0, { sighashType: SigHash.ALL_ANYONECANPAY })),
      ALL_INPUTS,
      /kind of signature/,
    ],
    [
      "what is signed already",
      (() => {
        const transaction = signed(spendingAll());
        transaction.finalizeIdx(0);
        return base64.encode(transaction.toPSBT());
      })(),
      ALL_INPUTS,
      /signed already/,
    ],
  ])("%s", (_, psbt, inputs, reason) => {
    expect(() => readSigning(accounts, "regtest", psbt, inputs)).toThrow(reason);
  });
});

describe("signPsbt", () => {
  const wallet = (approveTransaction: DevPrompts["approveTransaction"]) =>
    devRequests(accounts, "regtest", {
      chooseAccount: async () => null,
      approveMessage: async () => false,
      approveTransaction,
    });
  const params = { psbt: spendingAll(), signInputs: ALL_INPUTS, broadcast: false };

  it("shows what leaves and arrives, and returns the signed PSBT", async () => {
    const approve = vi.fn(async (_: DevSigning) => true);
    const answer = (await wallet(approve)("signPsbt", params)) as { result: { psbt: string } };
    expect(parsePsbt(answer.result.psbt).getInput(1).tapKeySig).toHaveLength(64);
    const flow = approve.mock.calls[0]?.[0].flow;
    expect(flow?.feeSats).toBe(1_000n);
    expect(flow?.inputs.map(({ address }) => address)).toEqual([
      payment.address,
      ordinals.address,
      escrow.address,
    ]);
    expect(flow?.outputs.map(({ sats }) => sats)).toEqual([546n, 40_000n, 59_000n]);
  });

  it.each([
    ["a user who declines", params, -32_000],
    ["a request to broadcast", { ...params, broadcast: true }, -32_602],
    ["no PSBT", { signInputs: ALL_INPUTS }, -32_602],
    ["what it would not sign", { ...params, signInputs: {} }, -32_602],
    ["no parameters", undefined, -32_602],
  ])("answers %s with an error", async (_, request, code) => {
    expect(await wallet(async () => false)("signPsbt", request)).toMatchObject({ error: { code } });
  });
});
