import { describe, expect, it } from "vitest";
import { filledPercent, offerCollateral } from "./offer-collateral";
import { exampleOffer } from "./offer-example";

describe("what an offer takes", () => {
  it.each([
    [{}, 1n, "1 inscription"],
    [{}, 3n, "3 inscriptions"],
    [{ collateralType: "rune", runeName: "QUIET•FOX", runeDecimals: 2 }, 150_050n, "1,500.5 QUIET•FOX"],
    [{ collateralType: "brc20" }, 10n ** 21n, "1,000 FOX"],
  ] as const)("of %o", (fields, raw, words) => {
    expect(offerCollateral(exampleOffer(fields), raw)).toBe(words);
  });

  it.each([
    [0n, 0],
    [1_234_567n, 24.6],
    [5_000_000n, 100],
  ])("is filled by %i sats to %d percent", (usedPrincipal, percent) => {
    expect(filledPercent(exampleOffer({ usedPrincipal }))).toBe(percent);
  });

  it("of no principal is not filled, and no NaN", () => {
    expect(filledPercent({ principal: 0n, usedPrincipal: 0n })).toBe(0);
  });
});
