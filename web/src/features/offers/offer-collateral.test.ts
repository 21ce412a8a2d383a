import { describe, expect, it } from "vitest";
import { filledPercent, fillText, offerCollateral, unlentSats } from "./offer-collateral";
import { exampleOffer } from "./offer-example";

describe("an offer's collateral", () => {
  it.each([
    [{}, 1n, "1 inscription"],
    [{}, 3n, "3 inscriptions"],
    [{ collateralType: "rune", runeName: "QUIET•FOX", runeDecimals: 2 }, 150_050n, "1,500.5 QUIET•FOX"],
    [{ collateralType: "brc20" }, 10n ** 21n, "1,000 FOX"],
  ] as const)("of %o", (fields, raw, text) => {
    expect(offerCollateral(exampleOffer(fields), raw)).toBe(text);
  });

  it.each([
    [0n, 0],
    [1_234_567n, 24.6],
    [5_000_000n, 100],
  ])("is filled by %i sats to %d percent", (usedPrincipal, percent) => {
    expect(filledPercent(exampleOffer({ usedPrincipal }))).toBe(percent);
  });

  it("that is lent in part shows what is left, and the share that is lent", () => {
    const offer = exampleOffer({ principal: 2_500_000n, usedPrincipal: 2_050_000n, availablePrincipal: 0n });
    // A reserved part is not lent yet.
    expect(unlentSats(offer)).toBe(450_000n);
    expect(fillText(offer)).toBe("82% filled");
    expect(fillText({ principal: 2_500_000n, usedPrincipal: 1n })).toBe("less than 0.1% filled");
    expect(fillText({ principal: 2_500_000n, usedPrincipal: 0n })).toBeNull();
  });

  it("of zero principal is not filled, and not NaN", () => {
    expect(filledPercent({ principal: 0n, usedPrincipal: 0n })).toBe(0);
  });
});
