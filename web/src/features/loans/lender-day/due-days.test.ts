import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "../loan-example";
import { dayLabel, dueDays, dueTotal } from "./due-days";

const HOUR_MS = 3_600_000;
const due = (hours: number, payoutSats = 1n) => exampleLoan({ dueAt: NOW + hours * HOUR_MS, payoutSats });
const dateOf = (timeMs: number) => new Date(timeMs).toDateString();

describe("what is due in the next days", () => {
  it("is on the day of its date in the user's calendar, and on no other", () => {
    const hours = fc.integer({ min: -100, max: 300 });
    fc.assert(
      fc.property(fc.array(fc.tuple(hours, fc.nat(1_000)), { maxLength: 30 }), (items) => {
        const loans = items.map(([at, sats]) => due(at, BigInt(sats)));
        const days = dueDays(loans, 7, NOW);
        expect(new Set(days.map(({ atMs }) => dateOf(atMs))).size).toBe(7);
        for (const { atMs, count, payoutSats } of days) {
          const expected = loans.filter(
            ({ dueAt }) => dueAt !== null && dueAt >= NOW && dateOf(dueAt) === dateOf(atMs),
          );
          expect(count).toBe(expected.length);
          expect(payoutSats).toBe(expected.reduce((sum, loan) => sum + loan.payoutSats, 0n));
        }
      }),
    );
  });

  it("begins with today, and leaves out what is overdue or has no date", () => {
    const days = dueDays([due(-1), due(0), exampleLoan({ dueAt: null })], 7, NOW);
    expect(dateOf(days[0]?.atMs ?? 0)).toBe(dateOf(NOW));
    expect(days.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 0, 0]);
  });

  it("adds up to the total", () => {
    const days = dueDays([due(0, 5n), due(30, 7n), due(1_000, 9n)], 7, NOW);
    expect(dueTotal(days)).toEqual({ count: 2, payoutSats: 12n });
  });

  it("has days by name, then by weekday and date", () => {
    const wednesday = { atMs: new Date(2026, 11, 2).getTime() };
    expect([0, 1, 2].map((position) => dayLabel(wednesday, position))).toEqual([
      "Today",
      "Tomorrow",
      "Wed 2",
    ]);
  });
});
