import { describe, expect, it } from "vitest";
import { createdOffersText, fundingGapOf } from "./created-offers";

const funded = { isPausedFromMissingFunds: false };
const paused = { isPausedFromMissingFunds: true };

describe("offers that were just created", () => {
  it.each([
    ["against BRC-20 without their coin", true, [paused], false, "coin"],
    ["against BRC-20 with it, although the feed has not said so", true, [paused], true, "nothing"],
    ["against BRC-20 while that is not known", true, [], undefined, "unknown"],
    ["with bitcoin for all of them", false, [funded, funded], undefined, "nothing"],
    ["with too little for one of them", false, [funded, paused], undefined, "funds"],
    ["before the feed brings them", false, [], undefined, "nothing"],
  ] as const)("%s", (_, isBrc20, offers, hasCoin, fundingGap) => {
    expect(fundingGapOf(isBrc20, offers, hasCoin)).toBe(fundingGap);
  });

  it("are announced as available only when they are", () => {
    expect(createdOffersText("nothing", 1, "Lumenfall").text).toMatch(
      /^Borrowers of Lumenfall can take it now\. /,
    );
    expect(createdOffersText("nothing", 3, "Lumenfall")).toEqual({
      title: "3 offers are in the order book",
      text: "Borrowers of Lumenfall can take them now. Where they rank, and the amount to the best offer, is in your portfolio.",
    });
    for (const fundingGap of ["unknown", "coin", "funds"] as const)
      expect(createdOffersText(fundingGap, 1, "Lumenfall").text).not.toContain("can take");
    expect(createdOffersText("coin", 1, "Lumenfall")).toEqual({
      title: "Offer created, paused for now",
      text: "It cannot be taken until one coin of exactly the amount to lend is confirmed at your payment address. Then it enters the order book automatically.",
    });
  });
});
