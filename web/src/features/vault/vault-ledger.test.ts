import { describe, expect, it } from "vitest";
import { ledgerRows } from "./vault-ledger";
import type { HistoryLine } from "./vault-requests";

const line = (
  kind: HistoryLine["kind"],
  transactionId: string,
  sats: bigint,
  vout: number | null = null,
): HistoryLine => ({ at: 1, kind, sats, transactionId, vout });

/** Rows of lines that are listed oldest first. */
const rowsOf = (...lines: HistoryLine[]) => ledgerRows(lines.reverse());

function sumOf(rows: ReturnType<typeof ledgerRows>): bigint {
  const signs = { "+": 1n, "−": -1n, "": 0n };
  return rows.reduce((sum, { sign, sats }) => sum + signs[sign] * (sats ?? 0n), 0n);
}

const PAID_IN = [0, 1, 2, 3].map((vout) => line("paid_in", "deposit", 2_500_000n, vout));
const LENT = line("lent", "loan", 336_618n);
const CHANGE = line("came_back", "loan", 913_382n, 1);
const WITHDRAWN = line("withdrawing", "withdrawal", 3_000_000n);

describe("the ledger of a vault", () => {
  it("sums to the balance, with change and finality in the rows of their payments", () => {
    const change = line("came_back", "withdrawal", 413_382n, 1);
    const rows = rowsOf(...PAID_IN, LENT, CHANGE, WITHDRAWN, change, line("settled", "loan", 336_618n));
    expect(sumOf(rows)).toBe(6_663_382n);
    expect(
      rows.map(({ kind, sign, changeSats, isFinal, outputCount }) => [
        kind,
        sign,
        changeSats,
        isFinal,
        outputCount,
      ]),
    ).toEqual([
      ["withdrawing", "−", 413_382n, false, 1],
      ["lent", "−", 913_382n, true, 1],
      ["paid_in", "+", 0n, false, 4],
    ]);
  });

  it("shows change and finality without a sign where their payment is on a later page", () => {
    const rows = rowsOf(CHANGE, line("settled", "loan", 336_618n));
    expect(rows.map(({ kind, sign }) => [kind, sign])).toEqual([
      ["settled", ""],
      ["came_back", ""],
    ]);
  });

  it("subtracts a deposit once when a reorg removes it for good, and adds it again when it returns", () => {
    const [first = LENT] = PAID_IN;
    const reorged = line("undone", "deposit", 2_500_000n, 0);
    expect(sumOf(rowsOf(first, reorged))).toBe(0n);
    expect(sumOf(rowsOf(first, reorged, first))).toBe(2_500_000n);
    expect(sumOf(rowsOf(first, reorged, line("left", "deposit", 2_500_000n, 0)))).toBe(0n);
    expect(sumOf(rowsOf(first, line("left", "deposit", 2_500_000n, 0)))).toBe(0n);
  });

  it("stays right when a reorg removes change and the payment is returned", () => {
    const reorged = line("undone", "loan", 913_382n, 1);
    const waiting = rowsOf(...PAID_IN, LENT, CHANGE, reorged);
    expect(sumOf(waiting)).toBe(9_663_382n);
    expect(waiting[1]).toMatchObject({ kind: "lent", changeSats: 0n });
    const returned = rowsOf(...PAID_IN, LENT, CHANGE, reorged, line("given_back", "loan", 336_618n));
    expect(sumOf(returned)).toBe(10_000_000n);
  });

  it("keeps each payment a row of its own, also of one transaction", () => {
    const lent = line("lent", "b", 500n);
    expect(rowsOf(lent, lent).map(({ outputCount }) => outputCount)).toEqual([1, 1]);
  });

  it("subtracts change that leaves by the lender's own key", () => {
    const rows = rowsOf(...PAID_IN, LENT, CHANGE, line("left", "loan", 913_382n, 1));
    expect(sumOf(rows)).toBe(8_750_000n);
  });
});
