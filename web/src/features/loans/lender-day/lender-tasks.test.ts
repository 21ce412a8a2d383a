import { describe, expect, it } from "vitest";
import type { Loan } from "@/shared/api/loan";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "../loan-example";
import { lenderTasks } from "./lender-tasks";

const HOUR_MS = 3_600_000;
const lent = (fields: Partial<Loan>) => exampleLoan({ role: "lender", ...fields });
const toSign = (hours: number) =>
  lent({ stage: "awaiting_lender", waitsFor: "counter_signature", expiresAt: NOW + hours * HOUR_MS });

type Offer = Parameters<typeof lenderTasks>[1][number];
const LIVE: Offer = {
  offerId: "of_1",
  tags: ["manual", "ordinal"],
  isExpired: false,
  isPausedByLender: false,
  isPausedFromTerms: false,
  isPausedFromMissingFunds: false,
  isPausedFromInsufficientBalance: false,
};
const paused = (fields: Partial<Offer> = {}): Offer => ({ ...LIVE, tags: ["paused"], ...fields });

/** The tasks as `title, detail -> link`. */
const tasksIn = (loans: Loan[], offers: Offer[] = []) =>
  lenderTasks(loans, offers, NOW).map(({ title, detail, to }) => `${title}, ${detail} -> ${to}`);

describe("what a lender has to do", () => {
  it("is nothing while loans run and offers are live", () => {
    expect(tasksIn([lent({}), exampleLoan({ waitsFor: "repayment" })], [LIVE])).toEqual([]);
  });

  it("begins with signatures, then claims, then offers", () => {
    const loans = [lent({ waitsFor: "claim" }), toSign(3)];
    const ids = lenderTasks(loans, [paused(), paused({ isExpired: true })], NOW).map(({ id }) => id);
    expect(ids).toEqual(["counter_signatures", "claims", "expired", "paused"]);
  });

  it("names the first deadline to sign", () => {
    expect(tasksIn([toSign(11)])).toEqual(["Counter-sign 1 loan, 11h 0m to sign -> /portfolio/pending"]);
    expect(tasksIn([toSign(11), toSign(4)])).toEqual([
      "Counter-sign 2 loans, 4h 0m to sign the first -> /portfolio/pending",
    ]);
  });

  it("is not what waits for the other side", () => {
    expect(tasksIn([exampleLoan({ waitsFor: "signature" }), lent({ stage: "prepared" })])).toEqual([]);
  });

  it("opens a single offer, and the list of several", () => {
    expect(tasksIn([], [paused(), LIVE])).toEqual([
      "1 offer is paused, null -> /portfolio?tab=offers&offer=of_1",
    ]);
    const both = [paused({ isExpired: true }), paused({ isExpired: true, isPausedByLender: true })];
    expect(tasksIn([], both)).toEqual([
      "2 offers have expired, Choose how long they are good, or cancel them -> /portfolio?tab=offers",
    ]);
  });

  it("names the causes of a pause that the lender can end", () => {
    const offers = [
      paused({ isPausedByLender: true }),
      paused({ isPausedFromMissingFunds: true }),
      paused({ isPausedFromInsufficientBalance: true }),
      paused({ isPausedFromTerms: true }),
      paused(),
    ];
    expect(tasksIn([], offers)).toEqual([
      "5 offers are paused, 1 by you, 2 for lack of bitcoin, 1 until you accept new terms -> /portfolio?tab=offers",
    ]);
  });
});
