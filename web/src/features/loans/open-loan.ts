import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import type { Loan } from "@/shared/api/loan";
import type { LoanActName } from "./loan-acts";

interface OpenLoan {
  loanId: string | null;
  /** The one action that the dialog was opened for. */
  act: LoanActName | null;
  open: (loan: Pick<Loan, "loanId">, act?: LoanActName) => void;
  close: () => void;
}

/**
 * The loan whose dialog is open. The URL names it, so that a notice can link to it and the back button closes
 * it.
 */
export function useOpenLoan(): OpenLoan {
  const [loanId, setLoanId] = useQueryState("loan", parseAsString.withOptions({ history: "push" }));
  const [act, setAct] = useState<LoanActName | null>(null);
  const open = useCallback(
    (loan: Pick<Loan, "loanId">, next: LoanActName | null = null) => {
      setAct(next);
      void setLoanId(loan.loanId);
    },
    [setLoanId],
  );
  const close = useCallback(() => {
    setAct(null);
    void setLoanId(null, { history: "replace" });
  }, [setLoanId]);
  return { loanId, act, open, close };
}
