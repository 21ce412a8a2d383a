import type { Loan } from "@/shared/api/loan";
import { formatDayMonth } from "@/shared/format/age";
import { isExtension } from "./loan-state";

type RoleFields = Pick<Loan, "role" | "stage" | "loanProcessType" | "extendedUntil">;

/** Whether it ended before it started: nothing was lent, and nothing is repaid. */
export function isNeverStarted({ stage }: Pick<Loan, "stage">): boolean {
  return stage === "cancelled" || stage === "lapsed" || stage === "failed";
}

/** Whether a signature is still missing, so that nothing has moved. */
export function isBeingSigned({ stage }: Pick<Loan, "stage">): boolean {
  return stage === "prepared" || stage === "awaiting_lender";
}

/** The user's part in a loan, in a word or two; for a pending extension with its new due date. */
export function roleText(loan: Pick<Loan, "role" | "stage" | "extendedUntil">): string {
  const isBorrower = loan.role === "borrower";
  const isStarting = isBeingSigned(loan) || loan.stage === "broadcast";
  if (loan.extendedUntil !== null && isStarting)
    return `Extension until ${formatDayMonth(loan.extendedUntil)}`;
  if (isNeverStarted(loan)) return isBorrower ? "Not borrowed" : "Not lent";
  if (isBeingSigned(loan)) return isBorrower ? "To borrow" : "To lend";
  return isBorrower ? "Borrowed" : "Lent";
}

/** The user's part in a loan, and the kind of offer that it comes from. */
export function roleDetailText(loan: RoleFields): string {
  const isBorrower = loan.role === "borrower";
  const offer = `${loan.loanProcessType === "Instant" ? "instant" : "manual"} offer`;
  if (isExtension(loan) && isNeverStarted(loan)) return "Extension that did not start";
  if (isExtension(loan) && isBeingSigned(loan)) return "Extension of a loan";
  if (isNeverStarted(loan)) return `${isBorrower ? "You asked to borrow" : "You offered to lend"}, ${offer}`;
  if (loan.stage === "prepared")
    return isBorrower ? `You are accepting this ${offer}` : `A borrower is accepting your ${offer}`;
  if (loan.stage === "awaiting_lender")
    return isBorrower ? `You accepted this ${offer}` : `Your ${offer} was accepted`;
  return `${isBorrower ? "You borrowed" : "You lent"}, ${offer}`;
}
