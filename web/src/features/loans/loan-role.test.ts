import { describe, expect, it } from "vitest";
import type { LoanStage } from "@/shared/api/loan";
import { exampleLoan } from "./loan-example";
import { isNeverStarted, roleDetailText, roleText } from "./loan-role";

const lender = (stage: LoanStage) => exampleLoan({ role: "lender", stage });
const borrower = (stage: LoanStage) => exampleLoan({ role: "borrower", stage, loanProcessType: "Instant" });

describe("the user's part in a loan", () => {
  it.each(["cancelled", "lapsed", "failed"] as const)(
    "is not lending or borrowing when it is %s",
    (stage) => {
      expect(isNeverStarted(lender(stage))).toBe(true);
      expect(roleText(lender(stage))).toBe("Not lent");
      expect(roleText(borrower(stage))).toBe("Not borrowed");
      expect(roleDetailText(lender(stage))).toBe("You offered to lend, manual offer");
      expect(roleDetailText(borrower(stage))).toBe("You asked to borrow, instant offer");
    },
  );

  it("is in the future while a signature is missing", () => {
    expect(roleText(lender("awaiting_lender"))).toBe("To lend");
    expect(roleText(borrower("prepared"))).toBe("To borrow");
    expect(roleDetailText(lender("prepared"))).toBe("A borrower is accepting your manual offer");
    expect(roleDetailText(lender("awaiting_lender"))).toBe("Your manual offer was accepted");
    expect(roleDetailText(borrower("prepared"))).toBe("You are accepting this instant offer");
  });

  it.each(["broadcast", "active", "expired", "repaying", "claiming", "repaid", "claimed"] as const)(
    "is lending or borrowing once it is %s",
    (stage) => {
      expect(isNeverStarted(lender(stage))).toBe(false);
      expect(roleText(lender(stage))).toBe("Lent");
      expect(roleText(borrower(stage))).toBe("Borrowed");
      expect(roleDetailText(lender(stage))).toBe("You lent, manual offer");
    },
  );

  it("is an extension where no money is newly lent", () => {
    const extension = { role: "lender", extendedUntil: 1 } as const;
    expect(roleDetailText(exampleLoan({ ...extension, stage: "awaiting_lender" }))).toBe(
      "Extension of a loan",
    );
    expect(roleDetailText(exampleLoan({ ...extension, stage: "lapsed" }))).toBe(
      "Extension that did not start",
    );
  });
});

describe("a loan in a list", () => {
  const until = Date.UTC(2026, 11, 14, 12);

  it.each(["prepared", "awaiting_lender", "broadcast"] as const)(
    "is an extension while it is %s",
    (stage) => {
      expect(roleText(exampleLoan({ stage, extendedUntil: until }))).toBe("Extension until 14 Dec");
      expect(roleText(exampleLoan({ stage, extendedUntil: until, role: "lender" }))).toBe(
        "Extension until 14 Dec",
      );
    },
  );

  it("is a loan like any other once the extension runs, or without one", () => {
    expect(roleText(exampleLoan({ stage: "active", extendedUntil: until }))).toBe("Borrowed");
    expect(roleText(exampleLoan({ stage: "awaiting_lender", extendedUntil: null, role: "lender" }))).toBe(
      "To lend",
    );
  });
});
