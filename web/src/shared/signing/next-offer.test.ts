import { describe, expect, it } from "vitest";
import { RequestProblem } from "@/shared/api/problem";
import { nextOfferText, offerRefusal } from "./next-offer";

const problem = (code: string) => new RequestProblem({ code, status: 409, message: `because ${code}` });

describe("a refusal", () => {
  it.each([
    "exact_coin_missing",
    "lender_short",
    "offer_paused",
    "offer_taken",
    "offer_used",
    "under_offer",
    "unknown_offer",
  ])("of the offer alone leaves others a chance (%s)", (code) =>
    expect(offerRefusal(problem(code))).toBe(`because ${code}`),
  );

  it.each(["collateral_pledged", "node_unavailable", "insufficient_funds", "unauthenticated"])(
    "that would meet every other offer too does not (%s)",
    (code) => expect(offerRefusal(problem(code))).toBeNull(),
  );

  it("of no server is none", () => expect(offerRefusal(new Error("No data received"))).toBeNull());
});

it("names the next offer by what it lends, for how long and at what interest", () => {
  expect(nextOfferText({ principalSats: 310_000n, termDays: 14, interestPercent: 1.5 })).toBe(
    "The next offer is 0.00310 BTC for 14 days at 1.5%.",
  );
});
