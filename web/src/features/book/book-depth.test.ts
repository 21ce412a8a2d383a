import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { depthAt, depthLevels, pickedLevels, restingLtvBps } from "./book-depth";
import type { DepthEntry } from "./depth-entries";

// Few LTVs, so that several entries share one and readings fall on, between and beside them.
const ltvBps = fc.integer({ min: 0, max: 12 }).map((number) => number * 500);
const entry = fc.record({ ltvBps, sats: fc.bigInt({ min: 1n, max: 1_000n }), own: fc.boolean() });
const entries = fc.array(entry, { maxLength: 20 });
const anyLtvBps = fc.integer({ min: 0, max: 7_000 });

/** The sum of the entries that fit, one by one. */
const sum = (of: readonly DepthEntry[], fits: (ltvBps: number) => boolean) =>
  of.reduce((total, each) => (fits(each.ltvBps) ? total + each.sats : total), 0n);

describe("the depth of a book", () => {
  it("at any LTV is what is offered there or above, and requested there or below", () => {
    fc.assert(
      fc.property(entries, entries, anyLtvBps, (offers, requests, ltv) => {
        expect(depthAt(depthLevels(offers, requests), ltv)).toEqual({
          offeredSats: sum(offers, (each) => each >= ltv),
          requestedSats: sum(requests, (each) => each <= ltv),
        });
      }),
    );
  });

  it("has one step for each LTV, the lowest first, with the sums of that LTV", () => {
    fc.assert(
      fc.property(entries, entries, (offers, requests) => {
        const levels = depthLevels(offers, requests);
        const ltvs = [...offers, ...requests].map((each) => each.ltvBps);
        expect(levels.map((level) => level.ltvBps)).toEqual([...new Set(ltvs)].sort((a, b) => a - b));
        for (const { ltvBps: at, offeredSats, requestedSats } of levels) {
          expect(offeredSats).toBe(sum(offers, (each) => each >= at));
          expect(requestedSats).toBe(sum(requests, (each) => each <= at));
        }
      }),
    );
  });

  it("marks the steps of the user's own offers and requests", () => {
    fc.assert(
      fc.property(entries, entries, (offers, requests) => {
        const ownAt = (of: readonly DepthEntry[], at: number) =>
          of.some((each) => each.own && each.ltvBps === at);
        for (const { ltvBps: at, ownOffer, ownRequest } of depthLevels(offers, requests)) {
          expect([ownOffer, ownRequest]).toEqual([ownAt(offers, at), ownAt(requests, at)]);
        }
      }),
    );
  });

  it("does not change the offers and requests that it is built from", () => {
    const offers = [{ ltvBps: 5_000, sats: 3n, own: false }];
    expect(depthLevels(offers, offers)).toEqual(depthLevels(offers, offers));
    expect(offers).toEqual([{ ltvBps: 5_000, sats: 3n, own: false }]);
  });
});

describe("at rest", () => {
  const at = (bps: number) => ({ ltvBps: bps, sats: 1n, own: false });

  it("the best offer is read out", () => {
    expect(restingLtvBps(depthLevels([at(4_000), at(6_000)], [at(3_000), at(8_000)]))).toBe(6_000);
  });

  it("the highest request is, if there are no offers", () => {
    expect(restingLtvBps(depthLevels([], [at(3_000), at(8_000)]))).toBe(8_000);
    expect(restingLtvBps([])).toBeNull();
  });
});

it("the table of a deep book has its ends, and steps between them in order", () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 2, max: 9 }), (offers, max) => {
      const levels = depthLevels(offers, []);
      const picked = pickedLevels(levels, max);
      expect(picked).toHaveLength(Math.min(levels.length, max));
      expect([picked[0], picked.at(-1)]).toEqual([levels[0], levels.at(-1)]);
      const positions = picked.map((level) => levels.indexOf(level));
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    }),
  );
});
