import type { Loan } from "@/shared/api/loan";
import { formatMoment } from "@/shared/format/age";
import { isExtension, isOver } from "./loan-state";

export type LoanActName =
  | "sign"
  | "giveUp"
  | "counterSign"
  | "refuse"
  | "repay"
  | "raiseRepayment"
  | "claim"
  | "raiseClaim"
  | "refinance"
  | "extend";

/** An action on a loan, possible now or later. */
export interface LoanAct {
  name: LoanActName;
  label: string;
  /** The reason why it is refused now; null when it is possible. */
  refusal: string | null;
}

const UNCONFIRMED = "The loan is unconfirmed. It can be ended once it is confirmed.";
const NO_SUCH_BUNDLE =
  "No manual offer here takes exactly this amount, so no other loan can replace this one. You can repay it at any time.";
const CLAIMING = "The lender's claim is waiting for confirmation. Only a repayment can still replace it.";

/** The user's actions on a loan, the most likely first. */
export function loanActs(loan: Loan, nowMs: number): LoanAct[] {
  if (isOver(loan)) return [];
  return loan.role === "borrower" ? borrowerActs(loan) : lenderActs(loan, nowMs);
}

/** The one action of a row in a list; null when the only one is to cancel the loan. */
export function firstAct(loan: Loan, nowMs: number): LoanAct | null {
  const [first] = loanActs(loan, nowMs);
  return first && !isCallingOff(first) ? first : null;
}

/** Whether the action cancels a loan that has not started. */
export function isCallingOff({ name }: LoanAct): boolean {
  return name === "giveUp" || name === "refuse";
}

export function canRepay(loan: Loan): boolean {
  return loan.role === "borrower" && borrowerActs(loan).some(isOpenRepayment);
}

function isOpenRepayment({ name, refusal }: LoanAct): boolean {
  return name === "repay" && refusal === null;
}

function borrowerActs(loan: Loan): LoanAct[] {
  switch (loan.stage) {
    case "prepared":
      return [act("sign", "Sign"), act("giveUp", "Cancel request")];
    case "awaiting_lender":
      return [act("giveUp", isExtension(loan) ? "Cancel request" : "Cancel request")];
    case "repaying":
      return loan.ending === "repayment" ? [act("raiseRepayment", "Raise the fee")] : [];
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

function endings(loan: Loan, repayRefusal: string | null, refusal: string | null): LoanAct[] {
  const acts = [act("repay", "Repay", repayRefusal)];
  // A BRC-20 transfer is consumed by its first move, so the pledge cannot change hands.
  if (loan.refinanceRefusal === "transfer_note") return acts;
  const isUnmatched = loan.refinanceRefusal === "no_such_bundle";
  acts.push(act("refinance", "Refinance", refusal ?? (isUnmatched ? NO_SUCH_BUNDLE : null)));
  if (loan.loanProcessType === "Manual") acts.push(act("extend", "Extend", refusal));
  return acts;
}

function lenderActs(loan: Loan, nowMs: number): LoanAct[] {
  switch (loan.stage) {
    case "awaiting_lender":
      return [act("counterSign", "Counter-sign"), act("refuse", "Refuse")];
    case "broadcast":
      return [act("claim", "Claim", UNCONFIRMED)];
    case "claiming":
      return [act("raiseClaim", "Raise the fee")];
    case "active":
    case "expired":
    case "repaying":
      return [act("claim", "Claim", claimRefusal(loan, nowMs))];
    default:
      return [];
  }
}

function claimRefusal(loan: Loan, nowMs: number): string | null {
  if (nowMs < loan.claimAfter) return `Only if it is not repaid, from ${formatMoment(loan.claimAfter)} on.`;
  return null;
}

function act(name: LoanActName, label: string, refusal: string | null = null): LoanAct {
  return { name, label, refusal };
}
