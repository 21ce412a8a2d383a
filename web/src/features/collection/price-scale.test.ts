import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PricePoint } from "@/shared/api/price-history";
import { RequestProblem } from "@/shared/api/problem";
import { formatPrice } from "@/shared/price/price";
import { nearestPoint } from "@/shared/ui/chart-cursor";
import { chartFailure, missingChartReason } from "./missing-chart";
import { chartShape, tickTimes } from "./price-scale";

const BOX = { width: 500, height: 200, left: 70, right: 18, top: 10, bottom: 24 };

const history = fc
  .array(
    fc.record({
      date: fc.integer({ min: 1, max: 2e12 }),
      price: fc.double({ min: 0, max: 2.1e15, noNaN: true }),
    }),
    {
      minLength: 2,
      maxLength: 150,
    },
  )
  .map((points): PricePoint[] => points.sort((a, b) => a.date - b.date));

describe("the chart", () => {
  test("has six ticks on its time axis, the first and the last at its ends", () => {
    const ticks = tickTimes(1_000, 6_000);
    expect(ticks).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
  });

  test("stays inside its box for any prices", () => {
    fc.assert(
      fc.property(history, fc.constantFrom("inscription" as const, "rune" as const), (data, type) => {
        const shape = chartShape(data, "7d", type, BOX);
        expect(shape.line).not.toContain("NaN");
        expect(shape.area).not.toContain("NaN");
        expect(shape.xTicks).toHaveLength(6);
        for (const { x, y } of shape.points) {
          expect(x).toBeGreaterThanOrEqual(BOX.left - 0.01);
          expect(x).toBeLessThanOrEqual(BOX.width - BOX.right + 0.01);
          expect(y).toBeGreaterThanOrEqual(BOX.top - 0.01);
          expect(y).toBeLessThanOrEqual(BOX.height - BOX.bottom + 0.01);
        }
      }),
      {
        examples: [
          [
            [
              { date: 1, price: 5e-324 },
              { date: 1, price: 1e-323 },
            ],
            "inscription",
          ],
        ],
        numRuns: 300,
      },
    );
  });

  test("repeats no price on its axis", () => {
    const data = [
      { date: 1, price: 2_000_001 },
      { date: 2, price: 2_000_009 },
    ];
    const labels = chartShape(data, "24h", "inscription", BOX).yTicks.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  test("finds the nearest point", () => {
    const points = [
      { x: 10, y: 0 },
      { x: 20, y: 0 },
      { x: 40, y: 0 },
    ];
    expect([-5, 14, 16, 31, 99].map((x) => nearestPoint(points, x))).toEqual([0, 0, 1, 2, 2]);
  });
});

describe("prices", () => {
  test.each([
    [2_001_000, "inscription", "0.02001"],
    [12.4, "rune", "12.4"],
    [0.083, "brc20", "0.083"],
  ] as const)("of %d for a %s are shown as %s", (price, type, text) => {
    expect(formatPrice(price, type)).toBe(text);
  });
});

describe("a missing chart is explained", () => {
  test("by the data", () => {
    expect(missingChartReason([])).toBe("No price data available");
    expect(missingChartReason([{ date: 1, price: 1 }])).toBe(
      "Insufficient historical data for this time range.",
    );
    expect(
      missingChartReason([
        { date: 1, price: 1 },
        { date: 2, price: 1 },
      ]),
    ).toBeNull();
  });

  test("or by the error", () => {
    const problem = (code: string, status: number) => new RequestProblem({ code, status, message: "" });
    expect(chartFailure(problem("network", 0))).toBe("Failed to load price data");
    expect(chartFailure(problem("unreadable", 404))).toBe("Failed to load price data");
    expect(chartFailure(problem("unreadable", 200))).toBe("Unable to load price data");
  });
});
