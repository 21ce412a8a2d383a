import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { EXAMPLE_SESSION } from "@/shared/session/session-example";
import { exampleLoan } from "../loan-example";
import { instantKind } from "../loan-signing";
import { instantRefinanceBody, isOfferRefused, manualRefinanceBody } from "./refinance-signing";

const session = EXAMPLE_SESSION;
const rune = exampleLoan({ collateralType: "rune", inscriptionIds: [], fungibleAmount: 500n });

describe("a refinance that is prepared", () => {
  const choice = { offerId: "of_7", process: "manual", feeRate: 5 } as const;

  it("by a manual offer names the loan and its inscription", () => {
    const loan = exampleLoan();
    expect(manualRefinanceBody(loan, choice, session)).toMatchObject({
      offerId: "of_7",
      feeRate: 5,
      refinancedLoanId: "ln_1",
      inscriptionId: loan.inscriptionIds[0],
      borrower_payment_address: session.addresses.payment.address,
    });
    expect(manualRefinanceBody(rune, choice, session).inscriptionId).toBeNull();
  });

  it("by an instant offer names the loan alone: its collateral is all that is pledged", () => {
    for (const loan of [exampleLoan(), rune]) {
      const body = instantRefinanceBody(loan, { ...choice, process: "instant" }, session);
      expect(body).toMatchObject({ fee_rate: 5, refinanced_loan_id: "ln_1" });
      expect(Object.keys(body)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(inscription_ids?|token_amount)$/)]),
      );
    }
    expect([exampleLoan(), rune].map(instantKind)).toEqual(["ordinals", "runes"]);
  });
});

it.each([
  ["offer_used", true],
  ["part_out_of_range", true],
  ["insufficient_funds", false],
])("%s leaves other offers to take: %s", (code, isRefused) => {
  expect(isOfferRefused(new RequestProblem({ code, status: 409, message: "" }))).toBe(isRefused);
  expect(isOfferRefused(new Error("other"))).toBe(false);
});
