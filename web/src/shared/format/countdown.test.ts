import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBlocks, formatRemaining } from "./countdown";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a countdown", () => {
  it.each([
    [12_000, "12s", "≈ 1 block"],
    [4 * MINUTE + 20_000, "4m 20s", "≈ 1 block"],
    [12 * HOUR - 1_000, "11h 59m", "≈ 72 blocks"],
    [4 * DAY + 3 * HOUR, "4d 3h", "≈ 594 blocks"],
    [14 * DAY, "14d 0h", "≈ 2,016 blocks"],
    [0, null, null],
    [-5 * DAY, null, null],
  ])("of %i ms shows %s and %s", (left, time, blocks) => {
    expect(formatRemaining(1_000 + left, 1_000)).toBe(time);
    expect(formatBlocks(1_000 + left, 1_000)).toBe(blocks);
  });

  it("shows nothing negative and no NaN for any time", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (until, now) => {
        expect(formatRemaining(until, now) ?? "").not.toMatch(/-|NaN/);
        expect(formatBlocks(until, now) ?? "").not.toMatch(/-|NaN/);
      }),
    );
  });
});
