import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { isLoanGone, isOfferGone, offerRefusal } from "./offer-refusal";

const problem = (code: string) => new RequestProblem({ code, status: 409, message: `because ${code}` });

describe("a refusal", () => {
  it.each([
    "exact_coin_missing",
    "lender_short",
    "offer_expired",
    "offer_paused",
    "offer_taken",
    "offer_used",
    "under_offer",
    "unknown_offer",
  ])("of the offer alone leaves other offers possible (%s)", (code) =>
    expect(offerRefusal(problem(code))).toBe(`because ${code}`),
  );

  it.each(["collateral_pledged", "node_unavailable", "insufficient_funds", "unauthenticated"])(
    "that would apply to every other offer does not (%s)",
    (code) => expect(offerRefusal(problem(code))).toBeNull(),
  );

  it("of another error is none", () => expect(offerRefusal(new Error("No data received"))).toBeNull());
});

describe("a prepared loan", () => {
  it.each([
    ["offer_taken", true, true],
    ["offer_used", true, true],
    ["unknown_offer", true, true],
    ["unknown_loan", true, true],
    ["unknown_reservation", true, true],
    ["offer_expired", false, true],
    ["offer_paused", false, true],
    ["reservation_expired", false, false],
    ["coin_changed", false, false],
  ])("is gone, or its offer is, by the code of the refusal (%s)", (code, loan, offer) => {
    expect([isLoanGone(problem(code)), isOfferGone(problem(code))]).toEqual([loan, offer]);
  });
});
