import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loanToValueBps } from "./loan-to-value";
import { type PegBounds, pegLevelAt, pegLevels, pegStep } from "./peg";

const INSCRIPTION: PegBounds = {
  ltvBps: 6_000,
  minSats: 300_000n,
  maxSats: 500_000n,
  raw: 1n,
  decimals: 0,
};
const sat = (sats: bigint) => sats * 100_000_000n;

describe("a principal that follows the floor", () => {
  it.each([
    [1_000_000n, 500_000n, false],
    [700_000n, 420_000n, false],
    [699_999n, 418_000n, false],
    [500_000n, 300_000n, false],
    [499_999n, 300_000n, true],
    [1n, 300_000n, true],
  ])("at a floor of %s sats is %s", (floor, principalSats, isBelow) => {
    expect(pegLevelAt(INSCRIPTION, sat(floor))).toMatchObject({ principalSats, isBelow });
  });

  it("changes at the two prices that it names", () => {
    expect(pegLevelAt(INSCRIPTION, sat(700_000n))).toMatchObject({
      fallsBelow: sat(700_000n),
      // 422,000 sats are 60 % of it, rounded up.
      risesAt: 70_333_333_333_334n,
    });
    expect(pegLevelAt(INSCRIPTION, sat(1_000_000n)).risesAt).toBeNull();
    expect(pegLevelAt(INSCRIPTION, sat(1n))).toMatchObject({ fallsBelow: null, risesAt: sat(500_000n) });
  });

  it("of a range without a step only pauses", () => {
    const one = { ...INSCRIPTION, ltvBps: 5_000, minSats: 40_000n, maxSats: 40_000n };
    expect(pegLevels(one)).toEqual([40_000n]);
    expect(pegLevelAt(one, sat(80_000n))).toMatchObject({ principalSats: 40_000n, isBelow: false });
    expect(pegLevelAt(one, sat(79_999n)).isBelow).toBe(true);
  });

  it("is the largest step within the share at any price", () => {
    const bounds: fc.Arbitrary<PegBounds> = fc.record({
      ltvBps: fc.integer({ min: 1, max: 9_800 }),
      minSats: fc.bigInt(20_000n, 5_000_000n),
      maxSats: fc.bigInt(5_000_000n, 25_000_000n),
      raw: fc.bigInt(1n, 10_000_000_000n),
      decimals: fc.integer({ min: 0, max: 8 }),
    });
    fc.assert(
      fc.property(bounds, fc.bigInt(1n, 10n ** 19n), (peg, price) => {
        const levels = pegLevels(peg);
        expect(levels.length).toBeLessThanOrEqual(101);
        expect(levels[1] === undefined || levels[1] - peg.minSats <= pegStep(peg)).toBe(true);
        const isWithin = (level: bigint) =>
          (loanToValueBps(level, peg.raw, peg.decimals, price) ?? 0) <= peg.ltvBps;
        const found = pegLevelAt(peg, price);
        const expected = levels.findLast(isWithin);
        expect(found.principalSats).toBe(expected ?? peg.minSats);
        expect(found.isBelow).toBe(expected === undefined);
        // Nothing changes until one of the two prices is reached, and then it does.
        const known = [found.principalSats, found.isBelow];
        const at = (moved: bigint) => {
          const level = pegLevelAt(peg, moved);
          return [level.principalSats, level.isBelow];
        };
        if (found.fallsBelow !== null) {
          expect(at(found.fallsBelow)).toEqual(known);
          expect(at(found.fallsBelow - 1n)).not.toEqual(known);
        }
        if (found.risesAt !== null) {
          expect(at(found.risesAt - 1n)).toEqual(known);
          expect(at(found.risesAt)).not.toEqual(known);
        }
      }),
    );
  });
});
