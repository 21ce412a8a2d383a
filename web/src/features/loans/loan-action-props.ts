import type { Loan } from "@/shared/api/loan";
import type { Session } from "@/shared/session/session-store";

/** The props of every dialog about one loan. */
export interface LoanActionProps {
  loan: Loan;
  session: Session;
  onClose: () => void;
}
