import { describe, expect, it } from "vitest";
import { EXAMPLE_PEG, exampleOffer } from "./offer-example";
import { offerPeg, pegSummary, pegTag, pegTexts } from "./offer-peg";

const pegged = exampleOffer({ principal: 6_000_000n, peg: EXAMPLE_PEG });
const textsOf = (offer: typeof pegged) => {
  const peg = offerPeg(offer);
  return peg && pegTexts(offer, peg);
};

describe("an own offer that follows the floor", () => {
  it("has a tag and a summary", () => {
    expect(pegTag(pegged)).toBe("60% of the floor");
    expect(pegSummary(pegged)).toBe("60% of the floor, 0.03 – 0.09 BTC");
    expect([pegTag(exampleOffer()), pegSummary(exampleOffer()), offerPeg(exampleOffer())]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("names the next changes of its principal", () => {
    expect(textsOf(pegged)).toEqual([
      "Rises to 0.06060 BTC at a floor of 0.10100 BTC",
      "Falls to 0.05940 BTC below a floor of 0.10000 BTC",
      "Pauses below a floor of 0.05000 BTC",
    ]);
  });

  it("names the floor from which it opens again", () => {
    const low = { ...EXAMPLE_PEG, fallsBelow: null, risesAt: 500_000_000_000_000n };
    expect(textsOf({ ...pegged, principal: 3_000_000n, peg: low })).toEqual([
      "Paused until the floor is 0.05000 BTC",
    ]);
  });

  it("keeps its principal while a borrower signs", () => {
    expect(textsOf({ ...pegged, tags: ["manual", "under offer"] })).toEqual([
      "Stays at 0.06000 BTC while a borrower signs",
    ]);
  });
});
