import { describe, expect, it } from "vitest";
import { arrivalsOf, linesByTransaction } from "./by-transaction";
import type { HistoryLine, VaultOutput } from "./vault-requests";

const output = (transactionId: string, vout: number, state: VaultOutput["state"]): VaultOutput => ({
  transactionId,
  vout,
  sats: 500n,
  state,
});
const line = (kind: HistoryLine["kind"], transactionId: string, vout: number | null): HistoryLine => ({
  at: 1,
  kind,
  sats: 500n,
  transactionId,
  vout,
});

describe("a deposit in several outputs", () => {
  it("is one arrival as long as all of it is in one state", () => {
    const outputs = [0, 1, 2].map((vout) => output("a", vout, "waiting"));
    const all = [...outputs, output("b", 0, "usable"), output("a", 3, "usable")];
    expect(arrivalsOf(all)).toEqual([
      { transactionId: "a", state: "waiting", sats: 1_500n, outputCount: 3 },
      { transactionId: "b", state: "usable", sats: 500n, outputCount: 1 },
      { transactionId: "a", state: "usable", sats: 500n, outputCount: 1 },
    ]);
  });

  it("is one line of the history, and other things are lines of their own", () => {
    const lines = [
      line("paid_in", "a", 0),
      line("paid_in", "a", 1),
      line("paid_in", "b", 0),
      line("lent", "b", null),
      line("lent", "b", null),
    ];
    const told = linesByTransaction(lines).map(({ kind, sats, outputCount }) => [kind, sats, outputCount]);
    expect(told).toEqual([
      ["paid_in", 1_000n, 2],
      ["paid_in", 500n, 1],
      ["lent", 500n, 1],
      ["lent", 500n, 1],
    ]);
  });
});
