import { describe, expect, it } from "vitest";
import { incomingDepositsOf } from "./deposits-by-transaction";
import type { VaultOutput } from "./vault-requests";

const output = (transactionId: string, vout: number, state: VaultOutput["state"]): VaultOutput => ({
  transactionId,
  vout,
  sats: 500n,
  state,
});

describe("a deposit in several outputs", () => {
  it("is one arrival as long as all of its outputs are in one state", () => {
    const outputs = [0, 1, 2].map((vout) => output("a", vout, "waiting"));
    const all = [...outputs, output("b", 0, "usable"), output("a", 3, "usable")];
    expect(incomingDepositsOf(all)).toEqual([
      { transactionId: "a", state: "waiting", sats: 1_500n, outputCount: 3 },
      { transactionId: "b", state: "usable", sats: 500n, outputCount: 1 },
      { transactionId: "a", state: "usable", sats: 500n, outputCount: 1 },
    ]);
  });
});
