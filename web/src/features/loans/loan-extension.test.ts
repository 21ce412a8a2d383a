import { describe, expect, it } from "vitest";
import type { SubCollection } from "@/shared/api/collection";
import { bpsOf, interestOf } from "@/shared/api/loan-figures";
import { negotiation, wireProposal } from "@/shared/feed/feed-fixtures";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";
import { extensionTerms } from "./loan-extension";

const DAY_MS = 86_400_000;

function sub(term: number, fields: Partial<SubCollection> = {}): SubCollection {
  return {
    id: String(term),
    slug: `quiet-foxes-${term}d`,
    term,
    interest: term / 10,
    apy: 0,
    bundleSize: null,
    manual: true,
    instant: false,
    collectionTypes: ["MANUAL_FIXED"],
    newTermChangeRequest: null,
    ...fields,
  };
}

describe("the possible terms of an extension", () => {
  it("are the loan's own at its own rate, and the others of as much collateral", () => {
    const subCollections = [sub(30), sub(14), sub(7, { manual: false }), sub(60, { bundleSize: 5n })];
    const terms = extensionTerms(exampleLoan(), { subCollections }, []);
    expect(terms.map(({ days, interest }) => [days, interest])).toEqual([
      [14, 3],
      [30, 3],
    ]);
    expect(terms.map(({ dueAt }) => dueAt)).toEqual([NOW + 18 * DAY_MS, NOW + 34 * DAY_MS]);
  });

  it("are those that both sides agreed on first, the latest of them at the top", () => {
    const about = { loanId: "ln_1", offerId: null, state: "accepted" as const };
    const proposal = (loanTermDays: number) => [wireProposal(), wireProposal({ loanTermDays })];
    const terms = extensionTerms(exampleLoan(), undefined, [
      negotiation({ ...about, negotiationId: "ng_1", changedAt: 1, proposals: proposal(9) }),
      negotiation({ ...about, negotiationId: "ng_2", changedAt: 2, proposals: proposal(14) }),
      negotiation({ ...about, negotiationId: "ng_3", state: "open", isYourTurn: true }),
      negotiation({ ...about, negotiationId: "ng_4", loanId: "ln_2" }),
    ]);
    expect(terms.map(({ days, interest, negotiationId }) => [days, interest, negotiationId])).toEqual([
      [14, 2.5, "ng_2"],
      [9, 2.5, "ng_1"],
      [14, 3, null],
    ]);
  });

  it("are only the loan's own while the market is unknown", () => {
    expect(extensionTerms(exampleLoan(), undefined, [])).toMatchObject([
      { days: 14, interestSats: 150_000n },
    ]);
  });
});

it("interest is whole sats, rounded as the server rounds it", () => {
  expect(interestOf(5_000_000n, bpsOf(3))).toBe(150_000n);
  expect(interestOf(5_000_000n, bpsOf(0.29))).toBe(14_500n);
  expect(interestOf(1n, bpsOf(3))).toBe(1n);
  expect(interestOf(0n, bpsOf(3))).toBe(0n);
});
