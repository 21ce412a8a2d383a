import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useState } from "react";
import type { Loan } from "@/shared/api/loan";
import type { LoanActionName } from "./loan-actions";

interface OpenLoan {
  loanId: string | null;
  /** The one action that the dialog was opened for. */
  action: LoanActionName | null;
  /** The offer to refinance it by, for which the dialog was opened. */
  offerId: string | null;
  open: (loan: Pick<Loan, "loanId">, action?: LoanActionName) => void;
  openRefinance: (loan: Pick<Loan, "loanId">, offerId: string) => void;
  close: () => void;
}

const PUSHED = parseAsString.withOptions({ history: "push" });

/**
 * The loan whose dialog is open. The URL names it, and the offer to refinance it by, so that a notice can link
 * to both and the back button closes it.
 */
export function useOpenLoan(): OpenLoan {
  const [loanId, setLoanId] = useQueryState("loan", PUSHED);
  const [offerId, setOfferId] = useQueryState("refinance", PUSHED);
  const [action, setAction] = useState<LoanActionName | null>(null);
  const show = useCallback(
    (loan: Pick<Loan, "loanId">, next: LoanActionName | null, refinancedBy: string | null) => {
      setAction(next);
      void setLoanId(loan.loanId);
      void setOfferId(refinancedBy);
    },
    [setLoanId, setOfferId],
  );
  const open = useCallback<OpenLoan["open"]>((loan, next) => show(loan, next ?? null, null), [show]);
  const openRefinance = useCallback<OpenLoan["openRefinance"]>(
    (loan, refinancedBy) => show(loan, null, refinancedBy),
    [show],
  );
  const close = useCallback(() => {
    setAction(null);
    void setLoanId(null, { history: "replace" });
    void setOfferId(null, { history: "replace" });
  }, [setLoanId, setOfferId]);
  return { loanId, action, offerId, open, openRefinance, close };
}
