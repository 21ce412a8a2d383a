import type { Loan } from "@/shared/api/loan";
import type { Session } from "@/shared/session/session-store";

/** What the dialog of every act on one loan is given. */
export interface LoanActProps {
  loan: Loan;
  session: Session;
  onClose: () => void;
}
