import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { depthLevels } from "./book-depth";
import { depthShape } from "./depth-shape";

const BOX = { width: 335, height: 240, top: 10, right: 14, bottom: 24, left: 64 };
const BASELINE = BOX.height - BOX.bottom;
const entries = fc.array(
  fc.record({
    ltvBps: fc.integer({ min: 1, max: 30_000 }),
    sats: fc.bigInt({ min: 1n, max: 2_100_000_000_000_000n }),
    own: fc.boolean(),
  }),
  { maxLength: 30 },
);

/** The corners of a path that consists of straight lines. */
function corners(path: string): Array<[number, number]> {
  return [...path.matchAll(/[ML](-?[\d.e-]+),(-?[\d.e-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

const point = (ltvBps: number, sats: bigint) => ({ ltvBps, sats, own: false });

describe("the picture of the depth", () => {
  it("stays inside its box, for any book and at any width", () => {
    fc.assert(
      fc.property(entries, entries, fc.constantFrom(0, 335, 1_000), (offers, requests, width) => {
        const shape = depthShape(depthLevels(offers, requests), { ...BOX, width });
        const lines = [shape.offers, shape.requests].map((side) => side?.line ?? "");
        expect(lines.join()).not.toContain("NaN");
        const right = Math.max(BOX.left, width - BOX.right);
        for (const [x, y] of lines.flatMap(corners)) {
          expect(x).toBeGreaterThanOrEqual(BOX.left - 0.01);
          expect(x).toBeLessThanOrEqual(right + 0.01);
          expect(y).toBeGreaterThanOrEqual(BOX.top - 0.01);
          expect(y).toBeLessThanOrEqual(BASELINE + 0.01);
        }
        expect(shape.points.every(({ x }) => x >= BOX.left - 0.01 && x <= right + 0.01)).toBe(true);
      }),
    );
  });

  it("falls along the offers, ends at the best one, and rises along the requests", () => {
    fc.assert(
      fc.property(entries, entries, (offers, requests) => {
        const levels = depthLevels(offers, requests);
        const shape = depthShape(levels, BOX);
        const heights = (line: string) => corners(line).map(([, y]) => y);
        const falling = heights(shape.offers?.line ?? "");
        // A smaller y is higher on the screen.
        expect(falling).toEqual(falling.toSorted((a, b) => a - b));
        const rising = heights(shape.requests?.line ?? "");
        expect(rising).toEqual(rising.toSorted((a, b) => b - a));
        if (offers.length > 0) expect(falling.at(-1)).toBeCloseTo(BASELINE);
        if (requests.length > 0) expect(rising[0]).toBeCloseTo(BASELINE);
      }),
    );
  });

  it("has its steps at the LTVs: an offer counts up to its own, a request from its own on", () => {
    const levels = depthLevels(
      [point(4_000, 100n), point(6_000, 300n)],
      [point(5_000, 200n), point(7_000, 200n)],
    );
    const shape = depthShape(levels, BOX);
    const [x, y] = [shape.x, shape.y];
    const offered = corners(shape.offers?.line ?? "");
    expect(offered).toContainEqual([expect.closeTo(x(4_000), 2), expect.closeTo(y(400n), 2)]);
    expect(offered).toContainEqual([expect.closeTo(x(4_000), 2), expect.closeTo(y(300n), 2)]);
    expect(offered.at(-1)).toEqual([expect.closeTo(x(6_000), 2), expect.closeTo(y(0n), 2)]);
    const requested = corners(shape.requests?.line ?? "");
    expect(requested[0]).toEqual([expect.closeTo(x(5_000), 2), expect.closeTo(y(0n), 2)]);
    expect(requested).toContainEqual([expect.closeTo(x(7_000), 2), expect.closeTo(y(200n), 2)]);
    expect(requested).toContainEqual([expect.closeTo(x(7_000), 2), expect.closeTo(y(400n), 2)]);
  });

  it("has no line for a side without anything open", () => {
    expect(depthShape(depthLevels([point(4_000, 1n)], []), BOX).requests).toBeNull();
    expect(depthShape(depthLevels([], [point(4_000, 1n)]), BOX).offers).toBeNull();
    expect(depthShape([], BOX)).toMatchObject({ offers: null, requests: null, points: [] });
  });
});
