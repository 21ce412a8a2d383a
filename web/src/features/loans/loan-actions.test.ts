import { describe, expect, it } from "vitest";
import { LOAN_STAGES, type Loan } from "@/shared/api/loan";
import { canRefinance, canRepay, firstAction, loanActions } from "./loan-actions";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "./loan-example";

const HOUR_MS = 3_600_000;
const claimable = { dueAt: NOW - 25 * HOUR_MS, claimAfter: NOW - HOUR_MS, isOverdue: true } as const;

/** Names of the actions: `repay`, or `-repay` when it is refused. */
function names(fields: Partial<Loan>): string[] {
  return loanActions(exampleLoan(fields), NOW).map(({ name, refusal }) =>
    refusal === null ? name : `-${name}`,
  );
}

describe("the actions of a loan", () => {
  it.each<[string, Partial<Loan>, string[]]>([
    ["a borrower's running loan", {}, ["repay", "refinance", "extend"]],
    [
      "an instant one has no lender to approve an extension",
      { loanProcessType: "Instant" },
      ["repay", "refinance"],
    ],
    [
      "one against BRC-20 moves once",
      { collateralType: "brc20", refinanceRefusal: "transfer_note" },
      ["repay"],
    ],
    [
      "one against an amount of runes that no bundle has",
      { loanProcessType: "Instant", collateralType: "rune", refinanceRefusal: "no_such_bundle" },
      ["repay", "-refinance"],
    ],
    ["an overdue one", { stage: "expired" }, ["repay", "refinance", "extend"]],
    ["an unconfirmed one waits", { stage: "broadcast" }, ["-repay", "-refinance", "-extend"]],
    ["one that is being claimed", { stage: "claiming" }, ["repay", "-refinance", "-extend"]],
    ["one that is being repaid", { stage: "repaying", ending: "repayment" }, ["raiseRepayment"]],
    ["one that is being refinanced", { stage: "repaying", ending: "refinance" }, []],
    ["a prepared one", { stage: "prepared" }, ["sign", "cancel"]],
    ["one that waits for its lender", { stage: "awaiting_lender" }, ["cancel"]],
    ["a lender's request", { role: "lender", stage: "awaiting_lender" }, ["counterSign", "refuse"]],
    ["a lender's unconfirmed loan", { role: "lender", stage: "broadcast" }, ["-claim"]],
    ["a lender's running loan", { role: "lender" }, ["-claim", "proposeExtension"]],
    ["a lender's instant loan", { role: "lender", loanProcessType: "Instant" }, ["-claim"]],
    ["a lender's loan against BRC-20", { role: "lender", refinanceRefusal: "transfer_note" }, ["-claim"]],
    [
      "a lender's claimable loan",
      { role: "lender", stage: "expired", ...claimable },
      ["claim", "proposeExtension"],
    ],
    ["a claim against a repayment", { role: "lender", stage: "repaying", ...claimable }, ["claim"]],
    ["a claim that waits", { role: "lender", stage: "claiming", ...claimable }, ["raiseClaim"]],
    ["a repaid one", { stage: "repaid" }, []],
    ["a claimed one", { role: "lender", stage: "claimed" }, []],
  ])("%s", (_, fields, expected) => {
    expect(names(fields)).toEqual(expected);
  });

  const unconfirmed = /^The loan is unconfirmed\. It can be ended once it is confirmed\.$/;
  const claiming =
    /^The lender's claim is waiting for confirmation\. Only a repayment can still replace it\.$/;
  const tooEarly = /^Only if it is not repaid, from \d+ \w+ \d{4}/;

  it.each<[string, Partial<Loan>, Record<string, RegExp>]>([
    [
      "a borrower before the first block",
      { stage: "broadcast" },
      { repay: unconfirmed, refinance: unconfirmed, extend: unconfirmed },
    ],
    [
      "a borrower before the first block, against BRC-20",
      { stage: "broadcast", collateralType: "brc20", refinanceRefusal: "transfer_note" },
      { repay: unconfirmed },
    ],
    [
      "a borrower against an amount that no bundle has",
      { loanProcessType: "Instant", refinanceRefusal: "no_such_bundle" },
      { refinance: /^No offer here takes exactly this amount/ },
    ],
    [
      "a borrower against several inscriptions",
      { inscriptionIds: ["i0", "i1"], refinanceRefusal: "no_such_bundle" },
      { refinance: /^Offers are against one inscription each/ },
    ],
    [
      "a borrower while it is being claimed",
      { stage: "claiming" },
      { refinance: claiming, extend: claiming },
    ],
    ["a lender before the first block", { role: "lender", stage: "broadcast" }, { claim: unconfirmed }],
    ["a lender while it runs", { role: "lender" }, { claim: tooEarly }],
    [
      "a lender of an overdue loan",
      { role: "lender", stage: "expired", isOverdue: true },
      { claim: tooEarly },
    ],
    ["a lender while it is repaid", { role: "lender", stage: "repaying" }, { claim: tooEarly }],
  ])("shows %s why an action is refused", (_, fields, reasons) => {
    const refused = loanActions(exampleLoan(fields), NOW).filter(({ refusal }) => refusal !== null);
    expect(refused.map(({ name }) => name)).toEqual(Object.keys(reasons));
    for (const { name, refusal } of refused) expect(refusal).toMatch(reasons[name] ?? /never/);
  });

  it("refuses nothing in any other state", () => {
    const refusing = LOAN_STAGES.flatMap((stage) =>
      (["borrower", "lender"] as const).flatMap((role) =>
        loanActions(exampleLoan({ stage, role }), NOW).some(({ refusal }) => refusal !== null)
          ? [`${role} ${stage}`]
          : [],
      ),
    );
    expect(refusing).toEqual([
      "borrower broadcast",
      "lender broadcast",
      "lender active",
      "lender expired",
      "lender repaying",
      "borrower claiming",
    ]);
  });

  it("puts only cancelling behind the loan's own dialog", () => {
    expect(firstAction(exampleLoan({ stage: "awaiting_lender" }), NOW)).toBeNull();
    expect(firstAction(exampleLoan(), NOW)?.name).toBe("repay");
    expect(firstAction(exampleLoan({ role: "lender", stage: "awaiting_lender" }), NOW)?.name).toBe(
      "counterSign",
    );
  });

  it("accepts only running loans into a repayment of several", () => {
    expect(canRepay(exampleLoan())).toBe(true);
    expect(canRepay(exampleLoan({ role: "lender" }))).toBe(false);
    expect(canRepay(exampleLoan({ stage: "broadcast" }))).toBe(false);
    expect(canRepay(exampleLoan({ stage: "repaying", ending: "repayment" }))).toBe(false);
  });

  it.each<[string, Partial<Loan>, boolean]>([
    ["a running one", {}, true],
    ["an overdue one", { stage: "expired" }, true],
    ["an instant one", { loanProcessType: "Instant" }, true],
    ["a lender's", { role: "lender" }, false],
    ["an unconfirmed one", { stage: "broadcast" }, false],
    ["one being repaid", { stage: "repaying", ending: "repayment" }, false],
    ["one being claimed", { stage: "claiming" }, false],
    ["one that is over", { stage: "repaid" }, false],
    ["one against BRC-20", { refinanceRefusal: "transfer_note" }, false],
    ["one against an amount that no offer takes", { refinanceRefusal: "no_such_bundle" }, false],
  ])("lets another loan replace %s: %o", (_, fields, isPossible) => {
    expect(canRefinance(exampleLoan(fields))).toBe(isPossible);
  });
});
