import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawTokens, tokensText } from "./raw-tokens";

describe("rawTokens", () => {
  it.each([
    ["12", 2, 1_200n],
    ["12.5", 2, 1_250n],
    ["12,5", 2, 1_250n],
    ["12.", 2, 1_200n],
    [" 0.01 ", 2, 1n],
    ["0", 0, 0n],
    ["12.345", 2, null],
    ["1.0", 0, null],
    ["", 2, null],
    [".5", 2, null],
    ["-1", 2, null],
    ["1e3", 2, null],
    ["1,000.5", 2, null],
    ["1".repeat(21), 2, null],
  ])("reads %j with %d decimals as %s", (text, decimals, raw) => {
    expect(rawTokens(text, decimals)).toBe(raw);
  });

  it("reads every amount that is written with its decimals", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n - 1n), fc.integer({ min: 1, max: 18 }), (raw, decimals) => {
        const digits = raw.toString().padStart(decimals + 1, "0");
        expect(rawTokens(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`, decimals)).toBe(raw);
      }),
    );
  });
});

it("an amount is read as it is written", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 20n - 1n), fc.integer({ min: 0, max: 18 }), (raw, decimals) => {
      expect(rawTokens(tokensText(raw, decimals), decimals)).toBe(raw);
    }),
  );
});
