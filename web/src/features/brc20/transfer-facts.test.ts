import { expect, it } from "vitest";
import { EXAMPLE_SESSION as session } from "@/shared/session/session-example";
import { transferFacts } from "./transfer-facts";

const coin = (address: string, sats: bigint) => ({ address, sats, script: "" });

it("shows the cost of the inscription besides its fee, and that its sats return", () => {
  const flow = {
    txid: "",
    inputs: [{ ...coin("bcrt1qpay", 100_000n), outpoint: "", sighash: 1 }],
    outputs: [coin("commit", 9_546n), coin("bcrt1qpay", 90_000n)],
    feeSats: 454n,
  };
  const order = { orderId: "or_1", feeSats: 9_454, expiresAt: 0, transactionBase64: "", sides: [] };
  const facts = transferFacts(order, flow, "1,000 TARN", session);
  expect(facts.outgoing).toEqual([
    { what: "0.00010000 BTC", address: "bcrt1qpay", note: "fee, and the sats of the note" },
  ]);
  expect(facts.incoming).toEqual([
    { what: "1 transfer note of 1,000 TARN", address: "bcrt1pkeep", note: "on 546 sats" },
  ]);
  expect(facts.fees).toEqual([{ what: "0.00009454 BTC", note: "Network fee, for two transactions" }]);
  expect(facts.atDefault).toBeNull();
});
