import { describe, expect, it } from "vitest";
import type { Loan } from "@/shared/api/loan";
import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import {
  borrowerText,
  borrowFacts,
  claimFacts,
  counterSignFacts,
  extensionFacts,
  refinanceFacts,
  repaymentFacts,
} from "./action-facts";
import { allCollateral, arrivalText, collateralText } from "./loan-collateral";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";

const own = {
  payment: { address: "bcrt1qpay", pubKey: "02aa" },
  ordinals: { address: "bcrt1pkeep", pubKey: "bb" },
};
const NEW = { repaid: 0, claimed: 0, collateralMoved: 0 };
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
const what = (movements: ReadonlyArray<{ what: string }>) => movements.map((movement) => movement.what);

describe("a borrower's record", () => {
  it.each([
    [NEW, "No loan has ended yet."],
    [{ ...NEW, repaid: 1 }, "1 loan repaid, 0 not repaid."],
    [
      { repaid: 3, claimed: 1, collateralMoved: 2 },
      "3 loans repaid, 1 not repaid. 2 times the collateral was moved away before the lender signed.",
    ],
  ])("%o", (record, text) => expect(borrowerText(record)).toBe(text));
});

describe("the effect of a signature", () => {
  it("repaying: the payout leaves and the collateral arrives", () => {
    const facts = repaymentFacts([exampleLoan()], own, 420n);
    expect(facts.outgoing).toMatchObject([{ what: "0.05150000 BTC", address: "bcrt1qpay" }]);
    expect(facts.incoming).toMatchObject([{ what: "Inscription ababa…babi0", address: "bcrt1pkeep" }]);
    expect(what(facts.fees)).toEqual(["0.00000420 BTC"]);
    expect(facts.exit).toContain("loan kit");
  });

  it("repaying several: one sum leaves, every collateral arrives, the earliest claim is the deadline", () => {
    const later = exampleLoan({ loanId: "ln_2", claimAfter: NOW + 90 * 86_400_000, payoutSats: 1n });
    const facts = repaymentFacts([exampleLoan(), later], own, 420n);
    expect(what(facts.outgoing)).toEqual(["0.05150001 BTC"]);
    expect(facts.incoming).toHaveLength(2);
    expect(facts.deadline).toBe(repaymentFacts([exampleLoan()], own, 420n).deadline);
  });

  it("claiming: nothing but the network fee leaves", () => {
    const facts = claimFacts(exampleLoan({ role: "lender" }), own, 420n);
    expect(facts.outgoing).toEqual([]);
    expect(facts.incoming).toMatchObject([{ address: "bcrt1pkeep" }]);
  });

  it("counter-signing: the principal leaves with the platform's fee, the payout comes back later", () => {
    const loan = exampleLoan({ role: "lender", stage: "awaiting_lender", platformFeeSats: 30_000n });
    const facts = counterSignFacts(loan, own, { expiresAt: NOW, interestNowSats: null, borrowerRecord: NEW });
    expect(what(facts.outgoing)).toEqual(["0.05030000 BTC"]);
    expect(what(facts.incoming)).toEqual(["0.05150000 BTC"]);
    expect(what(facts.fees)).toEqual(["0.00030000 BTC"]);
  });

  it("agreeing to an extension: nothing leaves, the running term's interest arrives at once", () => {
    const loan = exampleLoan({ role: "lender", extendedUntil: NOW + 1, platformFeeSats: 0n });
    const facts = counterSignFacts(loan, own, {
      expiresAt: NOW,
      interestNowSats: 150_000n,
      borrowerRecord: NEW,
    });
    expect(facts.outgoing).toEqual([]);
    expect(what(facts.incoming)).toEqual(["0.00150000 BTC", "0.05150000 BTC"]);
    expect(facts.fees).toEqual([]);
  });

  it("borrowing: the collateral leaves and the principal arrives", () => {
    const sums = { ...none, principalSats: 5_000_000n, feeSats: 58n, incomingSats: 4_999_942n };
    const facts = borrowFacts(exampleLoan({ stage: "prepared" }), own, NOW, sums);
    expect(facts.outgoing).toMatchObject([{ address: "bcrt1pkeep" }]);
    expect(what(facts.incoming)).toEqual(["0.04999942 BTC"]);
    expect(what(facts.fees)).toEqual(["0.00000058 BTC", "0.00150000 BTC"]);
  });

  it("requesting an extension: the interest of the running term and the network fee leave", () => {
    const terms = { payoutSats: 5_200_000n, dueAt: NOW, claimAfter: NOW };
    const sums = { ...none, outgoingSats: 150_420n, paidSats: 150_000n, feeSats: 420n };
    const facts = extensionFacts(exampleLoan(), own, terms, sums);
    expect(what(facts.outgoing)[0]).toBe("0.00150420 BTC");
    expect(what(facts.fees)).toEqual(["0.00000420 BTC", "0.00200000 BTC"]);
  });

  it.each([
    [6_000_000n, [], ["0.00849944 BTC"]],
    [5_150_056n, [], []],
    [5_000_000n, ["0.00150056 BTC"], []],
  ])("refinancing with %i sats shows the sum to add or left over", (principal, added, left) => {
    const next = { ...exampleLoan({ principal, payoutSats: principal + 1n, term: 30 }), expiresAt: NOW };
    const sums = { ...none, principalSats: principal, paidSats: 5_150_000n, feeSats: 56n };
    const gain = principal - 5_150_056n;
    const moved = gain < 0n ? { outgoingSats: -gain } : { incomingSats: gain };
    const facts = refinanceFacts(exampleLoan(), own, next, { ...sums, ...moved });
    expect(what(facts.fees)[0]).toBe("0.00000056 BTC");
    expect(what(facts.outgoing).filter((each) => each.endsWith("BTC"))).toEqual(added);
    expect(what(facts.incoming)).toEqual(left);
  });
});

describe("the deadline of a refinance", () => {
  const deadline = (loanProcessType: Loan["loanProcessType"]) =>
    refinanceFacts(exampleLoan(), own, { ...exampleLoan({ loanProcessType }), expiresAt: NOW }, none)
      .deadline;

  it("is the new lender's with a manual offer", () => {
    expect(deadline("Manual")).toMatch(
      /^The new lender has 12 hours after you sign\. Then repay 0\.05150000 BTC/,
    );
  });

  it("is the borrower's with an instant one, which nothing reserves", () => {
    expect(deadline("Instant")).toMatch(/^Sign by .*: until then another borrower can take the offer\./);
    expect(deadline("Instant")).toContain("The new lender's vault signs at once. Then repay");
  });
});

describe("the effect of a signature for several inscriptions", () => {
  const ids = ["i0", "i1", "i2", "i3", "i4"];
  const five = (fields: Partial<Loan> = {}) => exampleLoan({ inscriptionIds: ids, ...fields });

  it("borrowing: they leave together, and are repaid and claimed together", () => {
    const facts = borrowFacts(five({ stage: "prepared" }), own, NOW, { ...none, outgoingSats: 50_000n });
    expect(what(facts.outgoing)).toEqual(["5 inscriptions", "0.00050000 BTC"]);
    expect(facts.outgoing[1]?.note).toContain("of the outputs that hold the inscriptions");
    expect(facts.collateral).toEqual({
      ids,
      text: "You pledge 5 inscriptions together. They are repaid and claimed together, and each returns in an output of its own.",
    });
    expect(facts.atDefault).toContain("The lender may take all 5 inscriptions from");
  });

  it("repaying: each arrives in an output of its own", () => {
    const facts = repaymentFacts([five()], own, 420n);
    expect(what(facts.incoming)).toEqual(["5 inscriptions"]);
    expect(facts.collateral).toEqual({
      ids,
      text: "You get all 5 inscriptions together, each in an output of its own.",
    });
    expect(facts.atDefault).toContain("may take all 5 inscriptions.");
  });

  it("repaying them with another loan names the number of each", () => {
    const facts = repaymentFacts([five(), exampleLoan({ loanId: "ln_2" })], own, 420n);
    expect(what(facts.incoming)).toEqual(["5 inscriptions", "Inscription ababa…babi0"]);
    expect(facts.collateral).toBeUndefined();
  });

  it("counter-signing and claiming: the lender is repaid for all, or takes all", () => {
    const lent = five({ role: "lender", stage: "awaiting_lender" });
    const facts = counterSignFacts(lent, own, { expiresAt: NOW, interestNowSats: null, borrowerRecord: NEW });
    expect(facts.collateral?.text).toContain("5 inscriptions secure this loan together");
    expect(facts.atDefault).toContain("You may take all 5 inscriptions of Quiet Foxes");
    const claim = claimFacts(five({ role: "lender" }), own, 420n);
    expect(claim.collateral?.text).toBe(
      "You take all 5 inscriptions together, each in an output of its own.",
    );
  });

  it("extending: they stay together", () => {
    const terms = { payoutSats: 5_200_000n, dueAt: NOW, claimAfter: NOW };
    const facts = extensionFacts(five(), own, terms, { ...none, outgoingSats: 420n, feeSats: 420n });
    expect(what(facts.outgoing)).toEqual(["0.00000420 BTC", "5 inscriptions"]);
    expect(facts.collateral?.ids).toEqual(ids);
  });

  it("one inscription needs no such line", () => {
    expect(repaymentFacts([exampleLoan()], own, 420n).collateral).toBeUndefined();
  });
});

it("several inscriptions arrive each in an output of its own", () => {
  const several = { inscriptionIds: ["i0", "i1"] };
  expect(arrivalText(several)).toBe(
    "Both inscriptions arrive at your ordinals address with the next block, each in an output of its own",
  );
  expect(arrivalText(exampleLoan())).toBe(
    "The collateral arrives at your ordinals address with the next block",
  );
  expect([several, exampleLoan()].map(allCollateral)).toEqual(["both inscriptions", "the collateral"]);
});

describe("the collateral as text", () => {
  it.each([
    [{ inscriptionIds: ["i0", "i1", "i2"] }, "3 inscriptions"],
    [
      { collateralType: "rune", fungibleAmount: 150_050n, runeName: "QUIET•FOX", runeDecimals: 2 },
      "1,500.5 QUIET•FOX",
    ],
    [
      { collateralType: "brc20", fungibleAmount: 10n ** 21n, ticker: "foxy", runeDecimals: null },
      "1,000 FOXY",
    ],
    [{ collateralType: "rune", fungibleAmount: 7n, runeDecimals: 0 }, "7 FOX"],
  ] satisfies Array<[Partial<Loan>, string]>)("of %o", (fields, text) => {
    expect(collateralText(exampleLoan(fields))).toBe(text);
  });
});
