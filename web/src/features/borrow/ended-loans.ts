import type { LoanStage } from "@/shared/api/loan";

/** The reason why a prepared loan cannot be signed any more, by its stage; null while it can. */
function endOf(stage: LoanStage | undefined): LoanEnd | null {
  if (stage === "cancelled" || stage === "failed") return "taken";
  return stage === "lapsed" ? "lapsed" : null;
}

/**
 * `taken`: its offer was taken or withdrawn, or one of its coins was spent. `lapsed`: it was not signed in
 * time.
 */
export type LoanEnd = "taken" | "lapsed";

export const LOAN_END_TEXT: Record<LoanEnd, string> = {
  taken: "it was taken or withdrawn before you signed, and nothing was pledged",
  lapsed: "it was not signed in time, and nothing was pledged",
};

/** The prepared loans that ended before they were signed, according to the user's known loans. */
export function endedLoans<Prepared extends { loanId: string }>(
  loans: readonly Prepared[],
  own: ReadonlyMap<string, { stage: LoanStage }>,
): Array<{ loan: Prepared; end: LoanEnd }> {
  return loans.flatMap((loan) => {
    const end = endOf(own.get(loan.loanId)?.stage);
    return end === null ? [] : [{ loan, end }];
  });
}
