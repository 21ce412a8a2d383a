import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Collection, SubCollection } from "@/shared/api/collection";
import { exampleRequest } from "./request-example";
import { byLadder, fittingTerms, requestLtvBps, termText } from "./request-ladder";

const request = exampleRequest({ borrowerId: "us_1" });

const row = {
  unitPrice: 100_000_000_000_000n,
  collateralType: "inscription",
  runeDecimals: null,
} as unknown as Collection;

const term = (changed: Partial<SubCollection>) =>
  ({ term: 14, interest: 1.2, bundleSize: 1n, manual: true, instant: true, ...changed }) as SubCollection;

describe("the ladder of requests", () => {
  it("has the lowest LTV first, then the highest interest, then the earlier request", () => {
    const arbitrary = fc.record({
      principal: fc.integer({ min: 1, max: 4 }),
      interest: fc.integer({ min: 1, max: 3 }),
      createdAt: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 12 }), (items) => {
        const requests = items.map((item, index) => ({
          ...request,
          requestId: `rq_${index}`,
          principalSats: BigInt(item.principal) * 100_000n,
          interestMaxPercent: item.interest,
          createdAt: item.createdAt,
        }));
        const sorted = requests.toSorted(byLadder(() => row));
        for (const [index, later] of sorted.entries()) {
          const earlier = sorted[index - 1];
          if (!earlier) continue;
          const [one, other] = [earlier, later].map((each) => requestLtvBps(each, row) ?? 0);
          expect(one).toBeLessThanOrEqual(other ?? 0);
          if (one === other) {
            expect(earlier.interestMaxPercent).toBeGreaterThanOrEqual(later.interestMaxPercent);
            if (earlier.interestMaxPercent === later.interestMaxPercent) {
              expect(earlier.createdAt).toBeLessThanOrEqual(later.createdAt);
            }
          }
        }
      }),
    );
  });

  it("puts requests without a price last, in any case in one order", () => {
    const unknown = { ...request, requestId: "rq_0", groupId: "g_2" };
    const sorted = [unknown, request].toSorted(
      byLadder(({ groupId }) => (groupId === "g_1" ? row : undefined)),
    );
    expect(sorted.map(({ requestId }) => requestId)).toEqual(["rq_1", "rq_0"]);
    expect(byLadder(() => undefined)(unknown, unknown)).toBe(0);
  });
});

it("the LTV of a request for several inscriptions is that of their value together", () => {
  const several = { ...request, inscriptionIds: ["i", "j", "k", "l", "m"] };
  expect([request, several].map((each) => requestLtvBps(each, row))).toEqual([5_000, 1_000]);
});

describe("the terms that a request takes", () => {
  it.each([
    ["the highest interest itself", { interest: 1.5 }, 1],
    ["no higher interest", { interest: 1.51 }, 0],
    ["the shortest term itself", { term: 7 }, 1],
    ["no shorter term", { term: 6 }, 0],
    ["the longest term itself", { term: 30 }, 1],
    ["no longer term", { term: 31 }, 0],
    ["any amount", { bundleSize: null }, 1],
    ["no other bundle", { bundleSize: 2n }, 0],
    ["no term without offers", { manual: false, instant: false }, 0],
  ])("include %s", (_, changed, count) => {
    expect(fittingTerms(request, { subCollections: [term(changed)] })).toHaveLength(count);
  });

  it("against several inscriptions are those against one, and those against as many", () => {
    const several = { ...request, inscriptionIds: ["i", "j", "k"] };
    const sizes = [null, 1n, 2n, 3n].map((bundleSize) => term({ bundleSize }));
    const fitting = fittingTerms(several, { subCollections: sizes });
    expect(fitting.map(({ bundleSize }) => bundleSize)).toEqual([null, 1n, 3n]);
    const tokens = { ...request, inscriptionIds: [], fungibleAmount: 3n };
    expect(fittingTerms(tokens, { subCollections: sizes })).toHaveLength(2);
  });

  it("are shown as a range, or as one", () => {
    expect(termText(request)).toBe("7–30 days");
    expect(termText({ termMinDays: 14, termMaxDays: 14 })).toBe("14 days");
  });
});
