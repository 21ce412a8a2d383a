import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { row } from "@/shared/feed/feed-fixtures";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";
import { dueBuckets, earnedSats, earnedSeries, loanLtv, runningSeries } from "./portfolio-series";

const DAY_MS = 86_400_000;
const day = (days: number) => NOW + days * DAY_MS;

describe("running principal", () => {
  it("grows with each start, falls with each ending, and extends to now", () => {
    const loans = [
      exampleLoan({ startedAt: day(-10), endedAt: day(-2), principal: 5n }),
      exampleLoan({ startedAt: day(-6), endedAt: null, principal: 3n }),
      exampleLoan({ startedAt: day(-6), endedAt: null, principal: 1n }),
      exampleLoan({ startedAt: null, stage: "broadcast", principal: 100n }),
      exampleLoan({ role: "lender", startedAt: day(-1), principal: 100n }),
    ];
    expect(runningSeries(loans, "borrower", NOW)).toEqual([
      { atMs: day(-10), sats: 5n },
      { atMs: day(-6), sats: 9n },
      { atMs: day(-2), sats: 4n },
      { atMs: NOW, sats: 4n },
    ]);
  });

  it("is empty without loans", () => {
    expect(runningSeries([], "lender", NOW)).toEqual([]);
  });

  it("is never negative, and its times increase up to now", () => {
    const span = fc.record({
      begins: fc.integer({ min: -60, max: 0 }),
      days: fc.nat(30),
      sats: fc.nat(1_000_000),
    });
    fc.assert(
      fc.property(fc.array(span), (spans) => {
        const loans = spans.map(({ begins, days, sats }) =>
          exampleLoan({ startedAt: day(begins), endedAt: day(begins + days), principal: BigInt(sats) }),
        );
        const points = runningSeries(loans, "borrower", NOW);
        expect(points.every(({ sats }) => sats >= 0n)).toBe(true);
        expect(points.every(({ atMs }, index) => index === 0 || atMs >= (points[index - 1]?.atMs ?? 0))).toBe(
          true,
        );
      }),
    );
  });
});

it("a lender earned the interest of repaid loans, less the platform's fee", () => {
  const repaid = {
    role: "lender",
    stage: "repaid",
    endedAt: day(-3),
    interestSats: 100n,
    platformFeeSats: 20n,
  } as const;
  const loans = [
    exampleLoan(repaid),
    exampleLoan({ ...repaid, endedAt: day(-1) }),
    exampleLoan({ ...repaid, stage: "claimed" }),
    exampleLoan({ ...repaid, role: "borrower" }),
  ];
  expect(earnedSeries(loans, NOW).map(({ sats }) => sats)).toEqual([80n, 160n, 160n]);
  expect(earnedSats(loans)).toBe(160n);
});

it("a lender without ended loans has earned nothing, regardless of fees", () => {
  expect(earnedSats([exampleLoan({ role: "lender", platformFeeSats: 506n })])).toBe(0n);
});

it("the LTV of a loan against several inscriptions is that of their value together", () => {
  const foxes = row({ unitPrice: "10000000.00000000" });
  expect(loanLtv(exampleLoan(), foxes)).toBe(50);
  expect(loanLtv(exampleLoan({ inscriptionIds: ["i0", "i1", "i2", "i3", "i4"] }), foxes)).toBe(10);
});

describe("principal due", () => {
  it("is in one span each, lent and borrowed separately", () => {
    const at = (dueAt: number | null, role: "lender" | "borrower" = "lender") =>
      exampleLoan({ dueAt, role, principal: 1n });
    const loans = [at(day(-1)), at(day(2)), at(day(3)), at(day(4), "borrower"), at(day(400)), at(null)];
    const found = dueBuckets(loans, NOW).map(({ label, count, lentSats, borrowedSats }) => [
      label,
      count,
      lentSats,
      borrowedSats,
    ]);
    expect(found).toEqual([
      ["Overdue", 1, 1n, 0n],
      ["3 days", 2, 2n, 0n],
      ["7 days", 1, 0n, 1n],
      ["14 days", 0, 0n, 0n],
      ["30 days", 0, 0n, 0n],
      ["Later", 1, 1n, 0n],
    ]);
  });
});
