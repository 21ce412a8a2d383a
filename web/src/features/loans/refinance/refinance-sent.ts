import type { ProcessType } from "@/shared/api/collection";
import type { ResultText } from "@/shared/signing/action-dialog";

/** The results of a borrower's signature of a refinance. */
export const REFINANCE_SENT: Record<ProcessType, ResultText> = {
  manual: {
    title: "Offer accepted",
    next: "The new lender must counter-sign within 12 hours. Until then this loan continues, and its due date still applies.",
  },
  instant: {
    title: "Loan refinanced",
    next: "With the next block the old loan is repaid, and the new one starts and holds the collateral.",
  },
};
