import { describe, expect, it } from "vitest";
import type { CollateralType } from "@/shared/api/collection";
import type { PriceHold } from "@/shared/api/price-source";
import { priceNotice } from "./price-notice";

describe("a held price", () => {
  it.each<[PriceHold, CollateralType, string]>([
    [{ reason: "noSource" }, "rune", "no marketplace reports one now"],
    [
      { reason: "tooFewSources", found: 1, needed: 2 },
      "inscription",
      "1 of the 2 marketplaces it needs reports one now",
    ],
    [
      { reason: "disagreement", low: 1_000_000, high: 3_000_000 },
      "inscription",
      "marketplaces report from 0.01000 ₿ to 0.03000 ₿",
    ],
    [
      { reason: "jump", to: 0.083, rounds: 1, roundsNeeded: 3 },
      "rune",
      "a jump to 0.083 sats was reported 1 of the 3 times it needs",
    ],
  ])("is explained: %o", (hold, type, why) => {
    expect(priceNotice(hold, type)?.title).toBe(`The price is not updating: ${why}`);
  });

  it("is not shown while prices are accepted", () => {
    expect(priceNotice(null, "rune")).toBeNull();
  });
});
