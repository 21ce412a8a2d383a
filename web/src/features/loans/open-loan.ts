import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import type { Loan } from "@/shared/api/loan";
import type { LoanActionName } from "./loan-actions";

interface OpenLoan {
  loanId: string | null;
  /** The one action that the dialog was opened for. */
  action: LoanActionName | null;
  open: (loan: Pick<Loan, "loanId">, action?: LoanActionName) => void;
  close: () => void;
}

/**
 * The loan whose dialog is open. The URL names it, so that a notice can link to it and the back button closes
 * it.
 */
export function useOpenLoan(): OpenLoan {
  const [loanId, setLoanId] = useQueryState("loan", parseAsString.withOptions({ history: "push" }));
  const [action, setAction] = useState<LoanActionName | null>(null);
  const open = useCallback(
    (loan: Pick<Loan, "loanId">, next: LoanActionName | null = null) => {
      setAction(next);
      void setLoanId(loan.loanId);
    },
    [setLoanId],
  );
  const close = useCallback(() => {
    setAction(null);
    void setLoanId(null, { history: "replace" });
  }, [setLoanId]);
  return { loanId, action, open, close };
}
