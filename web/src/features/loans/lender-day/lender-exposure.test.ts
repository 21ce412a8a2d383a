import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Loan } from "@/shared/api/loan";
import { exampleLoan } from "../loan-example";
import { lentLoans, principalOf, reservingLoans, yieldPercent } from "./lender-exposure";

const lent = (fields: Partial<Loan> = {}) => exampleLoan({ role: "lender", platformFeeSats: 0n, ...fields });
const ids = (loans: readonly Loan[]) => loans.map(({ loanId }) => loanId);

describe("the exposure of a lender", () => {
  const loans = [
    lent({ loanId: "unconfirmed", stage: "broadcast", dueAt: null }),
    lent({ loanId: "running" }),
    lent({ loanId: "overdue", stage: "expired" }),
    lent({ loanId: "repaying", stage: "repaying" }),
    lent({ loanId: "claiming", stage: "claiming" }),
    lent({ loanId: "prepared", stage: "prepared" }),
    lent({ loanId: "waiting", stage: "awaiting_lender" }),
    lent({ loanId: "extending", stage: "awaiting_lender", extendedUntil: 1 }),
    lent({ loanId: "extended", stage: "broadcast", extendedUntil: 1 }),
    lent({ loanId: "confirmed extension", extendedUntil: 1 }),
    lent({ loanId: "repaid", stage: "repaid" }),
    exampleLoan({ loanId: "borrowed" }),
    exampleLoan({ loanId: "to borrow", stage: "prepared" }),
  ];

  it("is what runs, an extension from its confirmation on", () => {
    expect(ids(lentLoans(loans))).toEqual([
      "unconfirmed",
      "running",
      "overdue",
      "repaying",
      "claiming",
      "confirmed extension",
    ]);
  });

  it("and what is reserved for new loans", () => {
    expect(ids(reservingLoans(loans))).toEqual(["prepared", "waiting"]);
  });

  it("is the sum of the principals", () => {
    expect(principalOf([lent({ principal: 3n }), lent({ principal: 4n })])).toBe(7n);
    expect(principalOf([])).toBe(0n);
  });
});

describe("the yield", () => {
  it("of one loan is its interest after the fee over its principal, for a year", () => {
    const loan = lent({ principal: 1_000_000n, interestSats: 10_000n, platformFeeSats: 2_000n, term: 73 });
    expect(yieldPercent([loan])).toBeCloseTo(4, 10);
  });

  it("is unknown without a loan", () => {
    expect(yieldPercent([])).toBeNull();
  });

  it("of several loans is that of each, weighted by principal", () => {
    const loan = fc.record({
      principal: fc.bigInt({ min: 10_000n, max: 1_000_000_000n }),
      interestSats: fc.bigInt({ min: 1_000n, max: 1_000_000n }),
      platformFeeSats: fc.bigInt({ min: 0n, max: 1_000n }),
      term: fc.integer({ min: 1, max: 180 }),
    });
    fc.assert(
      fc.property(fc.array(loan, { minLength: 1, maxLength: 12 }), (items) => {
        const loans = items.map(lent);
        const whole = Number(principalOf(loans));
        const weighted = loans.reduce(
          (sum, each) => sum + (yieldPercent([each]) ?? 0) * (Number(each.principal) / whole),
          0,
        );
        const found = yieldPercent(loans) ?? 0;
        // Relative to the yield, which is zero where fees take all the interest.
        expect(Math.abs(found - weighted)).toBeLessThanOrEqual(weighted * 1e-9);
      }),
    );
  });
});
