import { describe, expect, it } from "vitest";
import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import { movedLoanLines, newLoanLines } from "./borrower-lines";
import type { Movement } from "./signing-facts";

const own = { payment: { address: "pay" }, ordinals: { address: "keep" } };
const none: BorrowerSums = {
  outgoingSats: 0n,
  principalSats: 0n,
  feeSats: 0n,
  escrowSats: 0n,
  restSats: 0n,
  paidSats: 0n,
  excessSats: 0n,
  incomingSats: 0n,
};
const note: BorrowerSums = {
  ...none,
  outgoingSats: 10_000n,
  principalSats: 625_000n,
  feeSats: 51n,
  escrowSats: 876n,
  incomingSats: 634_073n,
};
const notes = { outgoing: "shortfall", incoming: "rest", paid: "To the current lender" };

/** A shown amount in sats. */
const satsOf = (what: string) => BigInt(what.replace(/ BTC|\.|\+/g, "").replace("−", "-"));

function expectSum(calculation: Movement[] | undefined): void {
  const shown = (calculation ?? []).map(({ what }) => satsOf(what));
  const result = shown.pop() ?? 0n;
  const sum = shown.reduce((total, sats) => total + sats, 0n);
  expect(sum < 0n ? -sum : sum).toBe(result);
}

describe("the lines of a borrower's review", () => {
  it("name the sats of a transfer inscription that leave, and those that stay in escrow", () => {
    const { outgoing, incoming, fee, calculation } = newLoanLines(note, own, "brc20", 1);
    expect(outgoing).toMatchObject([
      { what: "0.00010000 BTC", address: "keep", note: "the 10,000 sats of your transfer note" },
    ]);
    expect(incoming).toEqual([{ what: "0.00634073 BTC", address: "pay" }]);
    expect(fee.what).toBe("0.00000051 BTC");
    expect(calculation).toEqual([
      { note: "Principal", what: "+0.00625000 BTC" },
      { note: "Sats of your transfer note", what: "+0.00010000 BTC" },
      { note: "Stays with the collateral in escrow", what: "−0.00000876 BTC" },
      { note: "Network fee", what: "−0.00000051 BTC" },
      { note: "Arrives at your payment address", what: "0.00634073 BTC" },
    ]);
    expectSum(calculation);
  });

  it("name the outputs of several inscriptions", () => {
    const sums = { ...none, outgoingSats: 50_000n, escrowSats: 50_000n };
    expect(newLoanLines(sums, own, "inscription", 5).outgoing[0]?.note).toBe(
      "the 50,000 sats of the outputs that hold the inscriptions",
    );
    expect(newLoanLines(sums, own, "inscription", 1).outgoing[0]?.note).toBe(
      "the 50,000 sats of the output that holds the inscription",
    );
  });

  it("name the sats that go to the ordinals address with the rest of the runes", () => {
    const sums = { ...none, outgoingSats: 546n, restSats: 546n, principalSats: 1_000n, escrowSats: 546n };
    const { incoming, calculation } = newLoanLines({ ...sums, incomingSats: 454n }, own, "rune", 1);
    expect(incoming.map(({ address, what }) => [address, what])).toEqual([
      ["pay", "0.00000454 BTC"],
      ["keep", "0.00000546 BTC"],
    ]);
    expectSum(calculation);
  });

  it.each([
    ["has to be added", 500_000n, ["0.00022936 BTC"], []],
    ["is left over", 600_000n, [], ["0.00077064 BTC"]],
  ])("show what %s when a running loan moves on, fee included", (_, principalSats, outgoing, incoming) => {
    const paidSats = 522_880n;
    const outgoingSats = 30_000n;
    const sums = { ...none, principalSats, paidSats, feeSats: 56n, outgoingSats };
    const lines = movedLoanLines(
      { ...sums, incomingSats: outgoingSats + principalSats - paidSats - 56n },
      own,
      notes,
    );
    expect(lines.outgoing.map(({ what }) => what)).toEqual(outgoing);
    expect(lines.incoming.map(({ what }) => what)).toEqual(incoming);
    expectSum(lines.calculation);
  });
});
