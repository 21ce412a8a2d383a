import { describe, expect, it } from "vitest";
import { type PegBounds, pegLevelAt } from "@/shared/api/peg";
import { pegShape } from "./peg-shape";
import { pegChangeTexts, priceBelow, priceFrom, rangeText, shareText } from "./peg-text";

const INSCRIPTION: PegBounds = {
  ltvBps: 6_000,
  minSats: 300_000n,
  maxSats: 500_000n,
  raw: 1n,
  decimals: 0,
};
/** A thousand tokens, with two decimals. */
const TOKENS: PegBounds = { ...INSCRIPTION, raw: 100_000n, decimals: 2 };
const sat = (sats: bigint) => sats * 100_000_000n;
const textsAt = (floorSats: bigint) =>
  pegChangeTexts(INSCRIPTION, pegLevelAt(INSCRIPTION, sat(floorSats)), "inscription");

describe("a peg in words", () => {
  it("names its share and its range", () => {
    expect(shareText(59.5, "inscription")).toBe("59.5% of the floor");
    expect(shareText(60, "rune")).toBe("60% of the price");
    expect(rangeText(INSCRIPTION)).toBe("0.003 – 0.005 BTC");
    expect(rangeText({ minSats: 300_000n, maxSats: 300_000n })).toBe("0.003 BTC");
  });

  it.each([
    [
      700_000n,
      [
        "Rises to 0.00422 BTC at a floor of 0.00704 BTC",
        "Falls to 0.00418 BTC below a floor of 0.00700 BTC",
        "Pauses below a floor of 0.00500 BTC",
      ],
    ],
    [
      1_000_000n,
      ["Falls to 0.00498 BTC below a floor of 0.00833 BTC", "Pauses below a floor of 0.00500 BTC"],
    ],
    [500_000n, ["Rises to 0.00302 BTC at a floor of 0.00504 BTC", "Pauses below a floor of 0.00500 BTC"]],
    [400_000n, ["Paused until the floor is 0.00500 BTC"]],
  ])("names what comes next at a floor of %s sats", (floor, texts) => {
    expect(textsAt(floor)).toEqual(texts);
  });

  it("names prices of tokens in sats", () => {
    expect(pegChangeTexts(TOKENS, pegLevelAt(TOKENS, sat(700n)), "rune")).toEqual([
      "Rises to 0.00422 BTC at a price of 703 sats",
      "Falls to 0.00418 BTC below a price of 700 sats",
      "Pauses below a price of 500 sats",
    ]);
  });

  it("rounds so that the floor that is shown agrees with what holds", () => {
    expect(priceFrom(sat(703_334n), "inscription")).toBe("0.00704 BTC");
    expect(priceBelow(sat(703_334n), "inscription")).toBe("0.00703 BTC");
    expect(priceFrom(sat(703_000n), "inscription")).toBe("0.00703 BTC");
  });
});

describe("the picture of a peg", () => {
  const box = { width: 300, height: 100, top: 10, right: 10, bottom: 20, left: 50 };
  const shapeAt = (floor: bigint, bounds = INSCRIPTION) =>
    pegShape(bounds, pegLevelAt(bounds, sat(floor)).principalSats, sat(floor), box);

  it("has a step for each level", () => {
    expect(shapeAt(700_000n).line.match(/V/g)).toHaveLength(100);
  });

  it.each([1n, 500_000n, 700_000n, 1_000_000n, 100_000_000n])(
    "is inside its box at a floor of %s",
    (floor) => {
      for (const bounds of [INSCRIPTION, { ...INSCRIPTION, maxSats: INSCRIPTION.minSats }]) {
        const { now, pausesX, largestX, leastY, largestY } = shapeAt(floor, bounds);
        for (const x of [now.x, pausesX, largestX]) {
          expect(x).toBeGreaterThanOrEqual(box.left);
          expect(x).toBeLessThanOrEqual(box.width - box.right);
        }
        for (const y of [now.y, leastY, largestY]) {
          expect(y).toBeGreaterThanOrEqual(box.top);
          expect(y).toBeLessThanOrEqual(box.height - box.bottom);
        }
      }
    },
  );

  it("has the current point where the price is", () => {
    const { now, pausesX, largestX } = shapeAt(700_000n);
    expect(now.x).toBeGreaterThan(pausesX);
    expect(now.x).toBeLessThan(largestX);
  });
});
