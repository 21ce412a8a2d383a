import { expect, it } from "vitest";
import { nextOfferText } from "./next-offer";

it("names the next offer by its principal, term and interest", () => {
  expect(nextOfferText({ principalSats: 310_000n, termDays: 14, interestPercent: 1.5 })).toBe(
    "The next offer is 0.00310 BTC for 14 days at 1.5%.",
  );
});
