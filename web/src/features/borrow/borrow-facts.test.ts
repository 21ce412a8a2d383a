import { describe, expect, it } from "vitest";
import { EXAMPLE_SESSION } from "@/shared/session/session-example";
import { EXAMPLE_QUESTION } from "@/shared/verifier/question-example";
import { borrowFacts } from "./borrow-facts";
import type { PreparedLoan } from "./prepared-loan";

const loan = (inscriptionIds: string[], collateral: string): PreparedLoan => ({
  loanRequest: { offerId: "of_1", inscriptionIds, tokenAmount: null, collateral },
  requestId: "rq_1",
  loanId: "ln_1",
  expiresAt: 0,
  principalSats: 1_000n,
  interestSats: 10n,
  payoutSats: 1_010n,
  termDays: 14,
  claimAfter: 0,
  transactions: [],
  cost: {
    interestSats: 10n,
    repaymentFeeEstimateSats: 2n,
    totalCostSats: 15n,
    totalPayableSats: 1_015n,
    apr: 48.2,
  },
  question: EXAMPLE_QUESTION,
  sums: {
    outgoingSats: 50_000n,
    principalSats: 1_000n,
    feeSats: 0n,
    escrowSats: 50_000n,
    restSats: 0n,
    paidSats: 0n,
    excessSats: 0n,
    incomingSats: 1_000n,
  },
});
const factsOf = (...loans: PreparedLoan[]) => borrowFacts("manual", loans, EXAMPLE_SESSION, "inscription");

describe("the review of a loan", () => {
  it("against several inscriptions lists them, and says that they stay together", () => {
    const facts = factsOf(loan(["i0", "i1", "i2", "i3", "i4"], "5 Foxes inscriptions"));
    expect(facts.outgoing.map(({ what }) => what)).toEqual(["5 Foxes inscriptions", "0.00050000 BTC"]);
    expect(facts.outgoing[0]).not.toHaveProperty("note");
    expect(facts.outgoing[1]?.note).toContain("of the outputs that hold the inscriptions");
    expect(facts.collateral).toEqual({
      text: "You pledge 5 inscriptions together. They are repaid and claimed together, and each returns in an output of its own.",
      ids: ["i0", "i1", "i2", "i3", "i4"],
    });
    expect(facts.atDefault).toContain("The lender may claim all 5 inscriptions from");
  });

  it("against one names it beside the amount, and loans against one each do not stay together", () => {
    const one = factsOf(loan(["i0"], "1 Foxes inscription"));
    expect(one.outgoing[0]).toMatchObject({ what: "1 Foxes inscription", note: "i0" });
    expect(one).not.toHaveProperty("collateral");
    expect(one.atDefault).toContain("The lender may claim the collateral from");
    const two = factsOf(loan(["i0"], "1 Foxes inscription"), loan(["i1"], "1 Foxes inscription"));
    expect(two).not.toHaveProperty("collateral");
    expect(two.atDefault).toContain("what is pledged");
  });
});
