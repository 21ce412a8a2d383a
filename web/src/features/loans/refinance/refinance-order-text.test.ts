import { describe, expect, it } from "vitest";
import type { RefinanceOrder } from "@/shared/api/loan";
import { formatMoment } from "@/shared/format/age";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "../loan-example";
import type { RefinanceOffer } from "./refinance-choice";
import {
  fittingOffersText,
  leastPrincipalText,
  orderMeaning,
  orderStart,
  orderStartText,
  orderTermsText,
} from "./refinance-order-text";

const DAY_MS = 86_400_000;
/** Due in four days. */
const loan = exampleLoan();
const order: RefinanceOrder = {
  principalMinSats: 5_150_000n,
  interestMaxPercentage: 3,
  termMinDays: 7,
  termMaxDays: 30,
  daysBefore: 3,
};
const offer = (fields: Partial<RefinanceOffer> = {}): RefinanceOffer => ({
  offerId: "of_1",
  process: "manual",
  principal: 5_200_000n,
  interest: 2.5,
  payoutSats: 5_330_000n,
  term: 30,
  differenceSats: 50_000n,
  ...fields,
});

describe("a standing order in words", () => {
  it("has its terms", () => {
    expect(orderTermsText(order)).toBe("At least 0.05150 BTC at up to 3%, for 7 to 30 days");
    expect(orderTermsText({ ...order, termMaxDays: 7 })).toBe("At least 0.05150 BTC at up to 3%, for 7 days");
    expect(orderTermsText({ ...order, termMinDays: 1, termMaxDays: 1 })).toMatch(/, for 1 day$/);
  });

  it("starts the given days before the due date", () => {
    expect(orderStart(loan, order)).toBe(NOW + DAY_MS);
    expect(orderStartText(loan, order, NOW)).toBe(`From ${formatMoment(NOW + DAY_MS)} on`);
    expect(orderStartText(loan, { daysBefore: 4 }, NOW)).toBe("From now on");
    expect(orderStartText({ dueAt: null }, order, NOW)).toBe("From 3 days before the due date on");
  });

  it("says that nothing is signed, and that the user is asked", () => {
    const meaning = orderMeaning(loan, order, NOW);
    expect(meaning).toContain("Nothing is signed or reserved now.");
    expect(meaning).toContain("asks you to sign it");
    expect(meaning).toContain(formatMoment(NOW + DAY_MS));
  });

  it("says what its principal leaves to add", () => {
    expect(leastPrincipalText(loan, 5_150_000n)).toBe("Covers the 0.05150 BTC that you repay");
    expect(leastPrincipalText(loan, 5_000_000n)).toBe("You add up to 0.00150 BTC to repay this loan");
  });

  it("says which offers fit", () => {
    const best = "0.05200 BTC for 30 days at 2.5%";
    expect(fittingOffersText([])).toBe("None now");
    expect(fittingOffersText([offer()])).toBe(best);
    expect(fittingOffersText([offer(), offer({ interest: 3 })])).toBe(`2 now, the best ${best}`);
  });
});
