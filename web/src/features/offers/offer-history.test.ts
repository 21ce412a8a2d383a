import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HistoryPoint, historyShape } from "@/shared/ui/history-shape";
import { EXAMPLE_PEG, exampleOffer } from "./offer-example";
import { ltvHistory, rangeSince } from "./offer-history";
import { withRanks } from "./rank-history";

const DAY_MS = 86_400_000;
const CREATED_MS = 1_800_000_000_000;
/** The interval between prices of the last day. */
const STEP_MS = 600_000;

describe("the LTV of an offer over time", () => {
  test("is its principal over each price since it was made, up to the current LTV", () => {
    const offer = exampleOffer({ principal: 5_000_000n, ltv: 62.5, createdAt: CREATED_MS });
    const prices = [
      { date: CREATED_MS - 2 * STEP_MS, price: 20_000_000 },
      { date: CREATED_MS - STEP_MS, price: 12_500_000 },
      { date: CREATED_MS + 10, price: 10_000_000 },
    ];
    expect(ltvHistory(offer, prices, CREATED_MS + 20)).toEqual([
      { atMs: CREATED_MS, value: 40 },
      { atMs: CREATED_MS + 10, value: 50 },
      { atMs: CREATED_MS + 20, value: 62.5 },
    ]);
  });

  test("begins with the price of the step before the one in which it was made, whose price is later", () => {
    const offer = exampleOffer({ principal: 5_000_000n, ltv: null, createdAt: CREATED_MS + 20 });
    const before = { date: CREATED_MS - STEP_MS, price: 12_500_000 };
    const within = { date: CREATED_MS, price: 10_000_000 };
    const start = { atMs: CREATED_MS + 20, value: 40 };
    expect(ltvHistory(offer, [before, within], CREATED_MS + 30)).toEqual([start]);
    // A step without a price keeps the one before.
    expect(ltvHistory(offer, [{ ...before, date: CREATED_MS - 9 * STEP_MS }], CREATED_MS + 30)).toEqual([
      start,
    ]);
    expect(ltvHistory(offer, [within], CREATED_MS + 30)).toEqual([]);
  });

  test("of a token uses its decimals", () => {
    const offer = exampleOffer({
      collateralType: "rune",
      runeDecimals: 2,
      fungibleAmount: 100_000n,
      principal: 50_000n,
      createdAt: CREATED_MS,
      ltv: null,
    });
    expect(ltvHistory(offer, [{ date: CREATED_MS - STEP_MS, price: 100 }], CREATED_MS + 1)).toEqual([
      { atMs: CREATED_MS, value: 50 },
    ]);
  });

  test("of an offer that follows the floor has the principal at each price", () => {
    const offer = exampleOffer({
      principal: 6_000_000n,
      peg: { ...EXAMPLE_PEG, minSats: 3_000_000n, maxSats: 9_000_000n },
      ltv: 60,
      createdAt: CREATED_MS,
    });
    const prices = [4_000_000, 8_000_000, 30_000_000].map((price, index) => ({
      date: CREATED_MS + 10 + index,
      price,
    }));
    expect(ltvHistory(offer, prices, CREATED_MS + 20).map(({ value }) => value)).toEqual([75, 60, 30, 60]);
  });

  test("is ordered and never NaN or negative for any prices", () => {
    const price = fc.record({
      date: fc.integer({ min: CREATED_MS - DAY_MS, max: CREATED_MS + DAY_MS }),
      price: fc.double({ min: 0, max: 1e15, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(price), fc.bigInt({ min: 0n, max: 10n ** 20n }), (prices, raw) => {
        const sorted = prices.sort((a, b) => a.date - b.date);
        const history = ltvHistory(
          exampleOffer({ fungibleAmount: raw, createdAt: CREATED_MS }),
          sorted,
          CREATED_MS + DAY_MS,
        );
        for (const [index, { atMs, value }] of history.entries()) {
          expect(atMs).toBeGreaterThanOrEqual(history[index - 1]?.atMs ?? 0);
          if (value !== null) expect(value).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test.each([
    [0, "24h"],
    [DAY_MS, "24h"],
    [DAY_MS + 1, "7d"],
    [8 * DAY_MS, "30d"],
    [400 * DAY_MS, "90d"],
  ])("%d ms after it was made uses the prices of %s", (ageMs, range) => {
    expect(rangeSince(CREATED_MS, CREATED_MS + ageMs)).toBe(range);
  });
});

describe("the recorded ranks", () => {
  const first = withRanks(new Map(), [exampleOffer({ offerId: "a", offerRanking: 3 })], 1);

  test("are recorded when they change, and stay the same object otherwise", () => {
    expect(withRanks(first, [exampleOffer({ offerId: "a", offerRanking: 3 })], 2)).toBe(first);
    const moved = withRanks(first, [exampleOffer({ offerId: "a", offerRanking: null })], 3);
    expect(moved.get("a")).toEqual([
      { atMs: 1, value: 3 },
      { atMs: 3, value: null },
    ]);
  });

  test("are dropped with the offer", () => {
    expect(withRanks(first, [], 2).size).toBe(0);
  });

  test("are bounded", () => {
    let ranks = first;
    for (let rank = 1; rank < 1_000; rank += 1) {
      ranks = withRanks(ranks, [exampleOffer({ offerId: "a", offerRanking: rank })], rank);
    }
    expect(ranks.get("a")).toHaveLength(300);
    expect(ranks.get("a")?.at(-1)?.value).toBe(999);
  });
});

describe("the chart of a figure", () => {
  const box = { width: 400, height: 132, top: 10, right: 10, bottom: 22, left: 44 };
  const point = fc.record({
    atMs: fc.integer({ min: 1, max: 2e12 }),
    value: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  });

  test("stays inside its box for any values", () => {
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 2 }),
        fc.option(fc.double({ min: 0, max: 98, noNaN: true })),
        fc.boolean(),
        (points, limit, isRank) => {
          const whole = (value: number | null) => (value === null ? null : Math.round(value) + 1);
          const history: HistoryPoint[] = points
            .map(({ atMs, value }) => ({ atMs, value: isRank ? whole(value) : value }))
            .sort((a, b) => a.atMs - b.atMs);
          const shape = historyShape(history, box, { limit, isRank });
          expect(shape.line).not.toContain("NaN");
          for (const { x, y } of shape.points) {
            expect(x).toBeGreaterThanOrEqual(box.left - 0.001);
            expect(x).toBeLessThanOrEqual(box.width - box.right + 0.001);
            expect(y).toBeGreaterThanOrEqual(box.top - 0.001);
            expect(y).toBeLessThanOrEqual(box.height - box.bottom + 0.001);
          }
        },
      ),
    );
  });

  test("draws the first rank above the second, with whole ranks on its axis", () => {
    const history = [
      { atMs: 1, value: 1 },
      { atMs: 2, value: 2 },
    ];
    const { points, ticks } = historyShape(history, box, { limit: null, isRank: true });
    expect(points[0]?.y).toBeLessThan(points[1]?.y ?? 0);
    expect(ticks.every(({ value }) => Number.isInteger(value) && value >= 1)).toBe(true);
  });
});
