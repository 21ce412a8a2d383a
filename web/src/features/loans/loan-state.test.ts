import { describe, expect, it } from "vitest";
import type { Loan } from "@/shared/api/loan";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";
import { ENDED_STAGES, milestone, nextStepText, stateText } from "./loan-state";

const HOUR_MS = 3_600_000;
const overdue: Partial<Loan> = { isOverdue: true, dueAt: NOW - HOUR_MS, claimAfter: NOW + 23 * HOUR_MS };
const claimable: Partial<Loan> = { stage: "expired", dueAt: NOW - 25 * HOUR_MS, claimAfter: NOW - HOUR_MS };

const waitsForLender: Partial<Loan> = {
  stage: "awaiting_lender",
  expiresAt: NOW + 12 * HOUR_MS,
  dueAt: null,
};

describe("the state of a loan", () => {
  it.each<[string, Partial<Loan>, string, string]>([
    ["a running loan", {}, "Running", "Repay by"],
    ["the lender's running loan", { role: "lender" }, "Running", "The borrower repays by"],
    ["an overdue one", overdue, "Overdue", "you can still repay"],
    [
      "the lender's overdue one",
      { ...overdue, role: "lender" },
      "Overdue",
      "you may claim the collateral from",
    ],
    ["a claimable one", claimable, "Claimable", "as long as that has not happened"],
    [
      "the lender's claimable one",
      { ...claimable, role: "lender" },
      "Claimable",
      "You may claim the collateral now",
    ],
    [
      "a prepared one",
      { stage: "prepared" },
      "Awaiting your signature",
      "the lender has 12 hours to counter-sign",
    ],
    [
      "a prepared instant one",
      { stage: "prepared", loanProcessType: "Instant" },
      "Awaiting your signature",
      "Sign it, and it starts at once",
    ],
    [
      "one to counter-sign",
      { ...waitsForLender, role: "lender" },
      "Awaiting your signature",
      "Counter-sign it",
    ],
    ["one that waits for its lender", waitsForLender, "Awaiting the lender", "12 hours to counter-sign"],
    ["an unconfirmed one", { stage: "broadcast", dueAt: null }, "Unconfirmed", "waiting for confirmation"],
    ["one being repaid", { stage: "repaying", ending: "repayment" }, "Repaying", "Raise its fee"],
    [
      "one being refinanced",
      { stage: "repaying", ending: "refinance" },
      "Being replaced",
      "It repays this one and holds the collateral then",
    ],
    [
      "the lender's one being refinanced",
      { role: "lender", stage: "repaying", ending: "refinance" },
      "Being replaced",
      "It pays you principal and interest",
    ],
    [
      "one being extended",
      { stage: "repaying", ending: "extension" },
      "Being replaced",
      "The extension is waiting for confirmation",
    ],
    ["one being claimed", { stage: "claiming", ending: "claim" }, "Claiming", "could still replace it"],
    ["a repaid one", { stage: "repaid", ending: "repayment" }, "Repaid", "back at your ordinals address"],
    ["an extended one", { stage: "repaid", ending: "extension" }, "Extended", "a later due date"],
    ["a refinanced one", { stage: "repaid", ending: "refinance" }, "Refinanced", "Another loan paid it"],
    ["a claimed one", { stage: "claimed", ending: "claim" }, "Claimed", "owe nothing"],
    ["one not signed in time", { stage: "lapsed" }, "Not signed in time", "Nothing moved"],
  ])("%s is named, with the next step", (_, fields, label, next) => {
    const loan = exampleLoan(fields);
    expect(stateText(loan, NOW).label).toBe(label);
    expect(nextStepText(loan, NOW)).toContain(next);
  });
});

describe("the next step of a loan against several inscriptions", () => {
  const next = (fields: Partial<Loan>) =>
    nextStepText(exampleLoan({ inscriptionIds: ["i0", "i1", "i2"], ...fields }), NOW);

  it.each<[Partial<Loan>, string]>([
    [{ stage: "repaid", ending: "repayment" }, "All 3 inscriptions are back at your ordinals address."],
    [{ stage: "claimed", ending: "claim" }, "The lender took all 3 inscriptions. You keep"],
    [{ stage: "claimed", role: "lender" }, "All 3 inscriptions are in your wallet"],
    [{ stage: "claiming", role: "lender" }, "Then all 3 inscriptions arrive at your ordinals address."],
  ])("%o names all of them", (fields, text) => {
    expect(next(fields)).toContain(text);
  });
});

describe("the countdown's target", () => {
  it.each<[string, Partial<Loan>, string | null]>([
    ["the due date of a running loan", {}, "until due"],
    ["the claim of an overdue one", { ...overdue, stage: "expired" }, "until it can be claimed"],
    ["the end of the time to sign", waitsForLender, "to sign"],
    ["nothing once it can be claimed", claimable, null],
    ["nothing before the first block", { stage: "broadcast", dueAt: null }, null],
  ])("is %s", (_, fields, label) => {
    expect(milestone(exampleLoan(fields), NOW)?.label ?? null).toBe(label);
  });

  it.each<[string, Partial<Loan>, boolean]>([
    ["a due date", {}, true],
    ["the time of a claim", { ...overdue, stage: "expired" }, true],
    ["a deadline of a signature", waitsForLender, false],
  ])("of %s depends on blocks as expected", (_, fields, isByBlocks) => {
    expect(milestone(exampleLoan(fields), NOW)?.isByBlocks).toBe(isByBlocks);
  });

  it("is null for a loan that is over", () => {
    for (const stage of ENDED_STAGES) expect(milestone(exampleLoan({ stage }), NOW)).toBeNull();
  });
});
