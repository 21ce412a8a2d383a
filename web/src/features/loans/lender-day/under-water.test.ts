import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { row } from "@/shared/feed/feed-fixtures";
import { exampleLoan } from "../loan-example";
import { loanLtv } from "../portfolio-series";
import { shortTotal, underWater } from "./under-water";

const market = (unitPrice: string | null) => new Map([["g_1", row({ unitPrice })]]);
const owed = (payoutSats: bigint, loanId = "ln_1", inscriptionIds = ["i0"]) =>
  exampleLoan({ loanId, payoutSats, inscriptionIds });

describe("a loan is under water", () => {
  it("from one satoshi above the floor on", () => {
    const found = underWater([owed(1_000n, "even"), owed(1_001n, "under")], market("1000.00000000"));
    expect(found.loans).toMatchObject([{ loan: { loanId: "under" }, worthSats: 1_000n, shortSats: 1n }]);
  });

  it("against the value of all its inscriptions together", () => {
    const several = ["i0", "i1", "i2"];
    expect(underWater([owed(3_000n, "ln_1", several)], market("1000.00000000")).loans).toEqual([]);
    expect(underWater([owed(3_001n, "ln_1", several)], market("1000.00000000")).loans).toHaveLength(1);
  });

  it("against the price of tokens, for the pledged amount", () => {
    const tokens = new Map([
      ["g_1", row({ collateralType: "rune", runeDecimals: 2, unitPrice: "10.50000000" })],
    ]);
    const loan = (payoutSats: bigint) =>
      exampleLoan({ collateralType: "rune", inscriptionIds: [], fungibleAmount: 10_000n, payoutSats });
    expect(underWater([loan(1_050n)], tokens).loans).toEqual([]);
    expect(underWater([loan(1_051n)], tokens).loans).toMatchObject([{ worthSats: 1_050n, shortSats: 1n }]);
  });

  it("and in no case without a price, which is counted", () => {
    expect(underWater([owed(9_999n)], market(null))).toEqual({ loans: [], unpriced: 1 });
    expect(underWater([owed(9_999n)], new Map())).toEqual({ loans: [], unpriced: 1 });
  });

  it("exactly if the LTV of its payout is above 100%, the largest gap first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4_000 })),
        fc.integer({ min: 1, max: 3_000 }),
        (sums, floor) => {
          const loans = sums.map((sum, index) => owed(BigInt(sum), `ln_${index}`));
          const rows = market(`${floor}.00000000`);
          const found = underWater(loans, rows);
          const expected = loans.filter(
            (loan) => (loanLtv({ ...loan, principal: loan.payoutSats }, rows.get("g_1")) ?? 0) > 100,
          );
          expect(new Set(found.loans.map(({ loan }) => loan.loanId))).toEqual(
            new Set(expected.map(({ loanId }) => loanId)),
          );
          const gaps = found.loans.map(({ shortSats }) => Number(shortSats));
          expect(gaps).toEqual(gaps.toSorted((a, b) => b - a));
          expect(Number(shortTotal(found))).toBe(gaps.reduce((sum, gap) => sum + gap, 0));
        },
      ),
    );
  });
});
