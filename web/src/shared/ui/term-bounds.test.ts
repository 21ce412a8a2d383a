import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withTermMax, withTermMin } from "./term-bounds";

const days = fc.integer({ min: 1, max: 365 });
const bounds = fc
  .tuple(days, days)
  .map(([one, other]) => ({ termMinDays: Math.min(one, other), termMaxDays: Math.max(one, other) }));

describe("the bounds of a term", () => {
  it("take the chosen end, and move the other only where they would cross", () => {
    fc.assert(
      fc.property(bounds, days, (before, chosen) => {
        expect(withTermMin(before, chosen)).toEqual({
          termMinDays: chosen,
          termMaxDays: chosen > before.termMaxDays ? chosen : before.termMaxDays,
        });
        expect(withTermMax(before, chosen)).toEqual({
          termMinDays: chosen < before.termMinDays ? chosen : before.termMinDays,
          termMaxDays: chosen,
        });
      }),
    );
  });
});
