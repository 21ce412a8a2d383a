import { expect, it } from "vitest";
import { dueSince } from "./due-since";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";

const HOUR_MS = 3_600_000;
const late = { stage: "expired", dueAt: NOW - 25 * HOUR_MS, claimAfter: NOW - HOUR_MS } as const;

it("a loan that can be claimed shows since when", () => {
  expect(dueSince(exampleLoan(late), NOW)).toEqual({ atMs: NOW - HOUR_MS, label: "claimable since" });
  const repaying = exampleLoan({ ...late, stage: "repaying" });
  expect(dueSince(repaying, NOW)?.label).toBe("claimable since");
});

it("a loan with a later due date cannot be claimed before that", () => {
  expect(dueSince(exampleLoan({ ...late, dueAt: NOW + HOUR_MS }), NOW)).toBeNull();
});

it("a loan that is being claimed shows when it was due", () => {
  const claiming = exampleLoan({ ...late, stage: "claiming" });
  expect(dueSince(claiming, NOW)).toEqual({ atMs: late.dueAt, label: "was due" });
});

it("a loan with time left, one that never started and one that is over show nothing", () => {
  expect(dueSince(exampleLoan(late), late.claimAfter - 1)).toBeNull();
  expect(dueSince(exampleLoan({ ...late, dueAt: null, stage: "awaiting_lender" }), NOW)).toBeNull();
  expect(dueSince(exampleLoan({ ...late, stage: "repaid" }), NOW)).toBeNull();
});
