import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChainStatus } from "./chain-status";
import {
  customRate,
  FASTEST,
  feeRateError,
  feeRateOf,
  loanRateBounds,
  typedRate,
  walletRateBounds,
} from "./fee-rate";

const chain: ChainStatus = {
  network: "regtest",
  height: 1,
  blockHash: "00",
  indexerHeight: 1,
  medianTime: 0,
  feeRates: { fast: 12, halfHour: 8.5, hour: 4 },
  loanRatesMin: { instant: 6.8, manual: 2 },
};

describe("a fee rate", () => {
  it("is the chain's for a speed, and unknown while the chain is", () => {
    expect(feeRateOf(FASTEST, chain)).toBe(12);
    expect(feeRateOf({ speed: "hour", customText: "99" }, chain)).toBe(4);
    expect(feeRateOf(FASTEST, undefined)).toBeNull();
  });

  it.each([
    ["30", 30, null],
    ["0.1", 0.1, null],
    ["500", 500, null],
    ["0.05", null, "Between 0.1 and 500 sats/vB"],
    ["501", null, "Between 0.1 and 500 sats/vB"],
    ["", null, null],
    [".", null, null],
  ])("entered by hand, %s, is %s", (customText, rate, error) => {
    const choice = { speed: "custom" as const, customText };
    expect(feeRateOf(choice, undefined)).toBe(rate);
    expect(feeRateError(choice)).toBe(error);
  });

  it("starts at the given rate", () => {
    expect(feeRateOf(customRate(30), undefined)).toBe(30);
  });

  it.each([
    [0.1, 3],
    [1, 3],
    [12, 36],
    [8.123, 24.369],
    [400, 500],
  ])("for a vault, where %s is recommended, is %s at most", (fast, most) => {
    const here = { ...chain, feeRates: { ...chain.feeRates, fast } };
    expect(walletRateBounds(here)).toEqual({ min: 0.1, max: most });
    const above = { speed: "custom" as const, customText: String(most + 1) };
    expect(feeRateOf(above, here, walletRateBounds(here))).toBeNull();
    expect(feeRateError(above, walletRateBounds(here))).toContain(`and ${most} sats/vB`);
  });

  it("of a loan is never below the minimum of its origination", () => {
    const bounds = loanRateBounds(chain, "instant");
    expect(bounds).toEqual({ min: 6.8, max: 500 });
    expect(feeRateOf({ speed: "halfHour", customText: "" }, chain, bounds)).toBe(8.5);
    expect(feeRateOf({ speed: "hour", customText: "" }, chain, bounds)).toBeNull();
    expect(feeRateError({ speed: "hour", customText: "" }, bounds, chain)).toBe(
      "At least 6.8 sats/vB at the moment",
    );
    for (const [customText, rate] of [
      ["6.7", null],
      ["6.8", 6.8],
    ] as const) {
      expect(feeRateOf({ speed: "custom", customText }, chain, bounds)).toBe(rate);
    }
    expect(feeRateError({ speed: "custom", customText: "6.7" }, bounds)).toBe(
      "Between 6.8 and 500 sats/vB at the moment",
    );
    expect(loanRateBounds(undefined, "manual")).toEqual({ min: 0.1, max: 500 });
    expect(loanRateBounds(chain, "manual").min).toBe(2);
  });

  it("is never one that the server would refuse for its format, for any input", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 8 })), (keys) => {
        const customText = keys.reduce((text, next) => typedRate(text, next), "");
        const rate = feeRateOf({ speed: "custom", customText }, undefined);
        if (rate !== null) expect(String(rate)).toMatch(/^\d{1,3}(\.\d{1,3})?$/);
      }),
    );
  });
});
