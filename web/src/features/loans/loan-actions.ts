import type { Loan } from "@/shared/api/loan";
import { isSeveral } from "@/shared/api/pledge";
import { formatMoment } from "@/shared/format/age";
import { isOver } from "./loan-state";

export type LoanActionName =
  | "sign"
  | "cancel"
  | "counterSign"
  | "refuse"
  | "repay"
  | "raiseRepayment"
  | "claim"
  | "raiseClaim"
  | "refinance"
  | "extend"
  | "proposeExtension";

/** An action on a loan, possible now or later. */
export interface LoanAction {
  name: LoanActionName;
  label: string;
  /** The reason why it is refused now; null when it is possible. */
  refusal: string | null;
}

const UNCONFIRMED = "The loan is unconfirmed. It can be ended once it is confirmed.";
const NO_SUCH_BUNDLE =
  "No offer here takes exactly this amount, so no other loan can replace this one. You can repay it at any time.";
const SEVERAL_INSCRIPTIONS =
  "Offers are against one inscription each, so no other loan can replace this one. You can repay it at any time.";
const CLAIMING = "The lender's claim is waiting for confirmation. Only a repayment can still replace it.";

/** The user's actions on a loan, the most likely first. */
export function loanActions(loan: Loan, nowMs: number): LoanAction[] {
  if (isOver(loan)) return [];
  return loan.role === "borrower" ? borrowerActions(loan) : lenderActions(loan, nowMs);
}

/** The one action of a row in a list; null when the only one is to cancel the loan. */
export function firstAction(loan: Loan, nowMs: number): LoanAction | null {
  const [first] = loanActions(loan, nowMs);
  return first && !isCancellation(first) ? first : null;
}

/** Whether the action cancels a loan that has not started. */
export function isCancellation({ name }: LoanAction): boolean {
  return name === "cancel" || name === "refuse";
}

export function canRepay(loan: Loan): boolean {
  return isPossible(loan, "repay");
}

/** Whether another loan can replace it now. */
export function canRefinance(loan: Loan): boolean {
  return isPossible(loan, "refinance");
}

function isPossible(loan: Loan, action: "repay" | "refinance"): boolean {
  if (loan.role !== "borrower") return false;
  return borrowerActions(loan).some(({ name, refusal }) => name === action && refusal === null);
}

function borrowerActions(loan: Loan): LoanAction[] {
  switch (loan.stage) {
    case "prepared":
      return [action("sign", "Sign"), action("cancel", "Cancel request")];
    case "awaiting_lender":
      return [action("cancel", "Cancel request")];
    case "repaying":
      return loan.ending === "repayment" ? [action("raiseRepayment", "Raise the fee")] : [];
    case "broadcast":
      return endings(loan, UNCONFIRMED, UNCONFIRMED);
    case "claiming":
      return endings(loan, null, CLAIMING);
    case "active":
    case "expired":
      return endings(loan, null, null);
    default:
      return [];
  }
}

function endings(loan: Loan, repayRefusal: string | null, refusal: string | null): LoanAction[] {
  const actions = [action("repay", "Repay", repayRefusal)];
  // A BRC-20 transfer is consumed by its first move, so the pledge cannot change hands.
  if (loan.refinanceRefusal === "transfer_note") return actions;
  actions.push(action("refinance", "Refinance", refusal ?? unmatchedText(loan)));
  if (isExtendable(loan)) actions.push(action("extend", "Extend", refusal));
  return actions;
}

function isExtendable({ loanProcessType, refinanceRefusal }: Loan): boolean {
  return loanProcessType === "Manual" && refinanceRefusal !== "transfer_note";
}

/** The reason why no offer is against exactly this collateral; null where one can be. */
function unmatchedText(loan: Loan): string | null {
  if (loan.refinanceRefusal !== "no_such_bundle") return null;
  return isSeveral(loan) ? SEVERAL_INSCRIPTIONS : NO_SUCH_BUNDLE;
}

function lenderActions(loan: Loan, nowMs: number): LoanAction[] {
  switch (loan.stage) {
    case "awaiting_lender":
      return [action("counterSign", "Counter-sign"), action("refuse", "Refuse")];
    case "broadcast":
      return [action("claim", "Claim", UNCONFIRMED)];
    case "claiming":
      return [action("raiseClaim", "Raise the fee")];
    case "repaying":
      return [action("claim", "Claim", claimRefusal(loan, nowMs))];
    case "active":
    case "expired": {
      const claim = action("claim", "Claim", claimRefusal(loan, nowMs));
      return isExtendable(loan) ? [claim, action("proposeExtension", "Propose extension")] : [claim];
    }
    default:
      return [];
  }
}

function claimRefusal(loan: Loan, nowMs: number): string | null {
  if (nowMs < loan.claimAfter) return `Only if it is not repaid, from ${formatMoment(loan.claimAfter)} on.`;
  return null;
}

function action(name: LoanActionName, label: string, refusal: string | null = null): LoanAction {
  return { name, label, refusal };
}
