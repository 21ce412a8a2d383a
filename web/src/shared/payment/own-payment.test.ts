import { base64 } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import { describe, expect, it } from "vitest";
import { keysFromSeed } from "@/shared/bitcoin/seed-keys";
import { checkedPayment, type PaymentRequest } from "./own-payment";

const { payment } = keysFromSeed(new Uint8Array(32).fill(1), "regtest");
const { payment: otherUser } = keysFromSeed(new Uint8Array(32).fill(2), "regtest");

/** A payment of one exact coin back to the user's own address. */
const paymentRequest: PaymentRequest = {
  sats: 100_650n,
  feeRate: 2,
  to: payment.address,
  paymentAddress: payment.address,
  network: "regtest",
};

type Output = [script: Uint8Array, sats: bigint];

function prepared(outputs: Output[], expected: { sats?: bigint } = {}) {
  const transaction = new Transaction({ version: 2 });
  const witnessUtxo = { script: payment.script, amount: 900_000n };
  transaction.addInput({ txid: new Uint8Array(32).fill(7), index: 0, witnessUtxo });
  for (const [script, amount] of outputs) transaction.addOutput({ script, amount });
  return {
    transactionBase64: base64.encode(transaction.toPSBT()),
    sides: [],
    sats: paymentRequest.sats,
    feeSats: 350n,
    changeSats: 799_000n,
    address: paymentRequest.to,
    ...expected,
  };
}

describe("a payment to sign", () => {
  const home = payment.script;
  it("is the requested one, and its change returns to its owner", async () => {
    const good = prepared([
      [home, 100_650n],
      [home, 799_000n],
    ]);
    expect(await checkedPayment(good, paymentRequest)).toBe(good);
  });

  const coin: Output = [home, 100_650n];
  it.each<[string, Output[], { sats?: bigint }?]>([
    [
      "pays another sum",
      [
        [home, 100_649n],
        [home, 799_001n],
      ],
    ],
    ["is said to pay another sum", [coin, [home, 799_000n]], { sats: 100_649n }],
    [
      "pays another address",
      [
        [otherUser.script, 100_650n],
        [home, 799_000n],
      ],
    ],
    ["pays the change to another address", [coin, [otherUser.script, 799_000n]]],
    ["pays the miners more than it says", [coin, [home, 700_000n]]],
  ])("is refused when it %s", async (_, outputs, expected) => {
    await expect(checkedPayment(prepared(outputs, expected), paymentRequest)).rejects.toThrow(
      /must not be signed/,
    );
  });
});

describe("a deposit into a vault", () => {
  const { payment: vault } = keysFromSeed(new Uint8Array(32).fill(3), "regtest");
  const toVault: PaymentRequest = { ...paymentRequest, to: vault.address };
  const parts: Output[] = [
    [vault.script, 50_325n],
    [vault.script, 50_325n],
    [payment.script, 799_000n],
  ];

  it("may come in several outputs of the vault", async () => {
    const good = prepared(parts);
    expect(await checkedPayment(good, toVault, "several")).toBe(good);
    await expect(checkedPayment(good, toVault)).rejects.toThrow(/must not be signed/);
  });

  it.each<[string, Output[]]>([
    ["lacks a part", parts.slice(1)],
    ["pays one part elsewhere", [[otherUser.script, 50_325n], ...parts.slice(1)]],
  ])("is refused when it %s", async (_, outputs) => {
    await expect(checkedPayment(prepared(outputs), toVault, "several")).rejects.toThrow(/must not be signed/);
  });
});
