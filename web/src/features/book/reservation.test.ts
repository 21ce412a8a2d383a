import { describe, expect, test } from "vitest";
import type { Loan } from "@/shared/api/loan";
import { reservationText } from "./reservation";

const loan = (fields: Partial<Loan>) =>
  ({ loanId: "ln_1", offerId: "of_1", role: "borrower", stage: "awaiting_lender", ...fields }) as Loan;

describe("the reason of a reserved offer", () => {
  test.each<[string, Loan[], RegExp]>([
    ["another borrower where the reader has no loan of it", [], /^Another borrower accepted it\./],
    ["another borrower of another offer", [loan({ offerId: "of_2" })], /^Another borrower/],
    ["the reader once they accepted it", [loan({})], /^You accepted it; the lender signs next\.$/],
    [
      "another borrower where the reader's loan is only prepared",
      [loan({ stage: "prepared" })],
      /^Another borrower/,
    ],
    [
      "another borrower after the reader's own loan ended",
      [loan({ stage: "cancelled" })],
      /^Another borrower/,
    ],
    ["another borrower for its lender", [loan({ role: "lender" })], /^Another borrower/],
  ])("is %s", (_, loans, text) => {
    expect(reservationText(loans, "of_1")).toMatch(text);
  });
});
