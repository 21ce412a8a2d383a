/// <reference types="node" />
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formatApy } from "@/shared/format/percent";
import { apyPercent, bpsOf, interestOf, loanFigures, platformFeeOf } from "./loan-figures";

/** The golden file that the server's own test reads. */
const GOLDEN = JSON.parse(
  readFileSync(new URL("../../../../engine/src/wire/apy.golden.json", import.meta.url), "utf8"),
) as Array<{ interestBasisPoints: number; termDays: number; apyHundredths: number }>;
const FEE = { percent: 20, minSats: 330n };

describe("a yearly yield", () => {
  it.each(GOLDEN)("of $interestBasisPoints basis points for $termDays days is the server's", (row) => {
    const hundredths = Math.round(apyPercent(row.interestBasisPoints, row.termDays) * 100);
    expect(hundredths).toBe(row.apyHundredths);
  });

  it("is rounded once: 59.5499 % does not become 59.6 %", () => {
    expect(formatApy(apyPercent(90, 7))).toBe("59.55%");
  });

  it("has an end", () => {
    expect(apyPercent(10_000, 1)).toBe(1_000_000_000_000);
  });
});

describe("the figures of a loan", () => {
  it("equal those of the server", () => {
    expect(loanFigures(387_000n, { interestBps: 110, termDays: 7 }, FEE)).toEqual({
      principalSats: 387_000n,
      interestSats: 4_257n,
      payoutSats: 391_257n,
      platformFeeSats: 851n,
      lentSats: 387_851n,
      apy: 76.9,
      termDays: 7,
    });
  });

  it("has interest rounded up", () => {
    expect(interestOf(1n, 300)).toBe(1n);
    expect(interestOf(0n, 300)).toBe(0n);
  });

  it("has no fee where there is no platform, or none that could be sent", () => {
    expect(platformFeeOf(10_000n, null)).toBe(0n);
    expect(platformFeeOf(1_649n, FEE)).toBe(0n);
    expect(platformFeeOf(1_650n, FEE)).toBe(330n);
  });
});

it("a rate of the wire is whole basis points", () => {
  expect(bpsOf(0.29)).toBe(29);
  expect(bpsOf(-1)).toBe(0);
});
