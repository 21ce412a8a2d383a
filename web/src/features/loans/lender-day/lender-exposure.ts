import type { Loan } from "@/shared/api/loan";
import { isBeingSigned } from "../loan-role";
import { isExtension, isOver } from "../loan-state";

const DAYS_PER_YEAR = 365;

/**
 * The user's running loans as a lender. An extension counts from its confirmation on: until then the loan that
 * it extends does, and the same money would be counted twice.
 */
export function lentLoans(loans: readonly Loan[]): Loan[] {
  return loans.filter(
    (loan) =>
      loan.role === "lender" &&
      !isOver(loan) &&
      !isBeingSigned(loan) &&
      !(isExtension(loan) && loan.stage === "broadcast"),
  );
}

/** The loans that are being signed and reserve a lender's coins. An extension lends no new money. */
export function reservingLoans(loans: readonly Loan[]): Loan[] {
  return loans.filter((loan) => loan.role === "lender" && isBeingSigned(loan) && !isExtension(loan));
}

export function principalOf(loans: readonly Loan[]): bigint {
  return loans.reduce((sum, { principal }) => sum + principal, 0n);
}

/**
 * Yield of loans in percent a year, without compounding: the interest after platform fees over the principal,
 * if all are repaid in time. Null without loans.
 */
export function yieldPercent(loans: readonly Loan[]): number | null {
  const principal = Number(principalOf(loans));
  if (principal === 0) return null;
  const perDay = loans.reduce((sum, { interestSats, platformFeeSats, term }) => {
    const earned = Number(interestSats - (platformFeeSats ?? 0n));
    return sum + earned / Math.max(1, term);
  }, 0);
  return (perDay * DAYS_PER_YEAR * 100) / principal;
}
