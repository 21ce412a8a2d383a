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

/** Something that can be done with a loan, now or later. */
export interface LoanAct {
  name: LoanActName;
  label: string;
  /** Why it cannot be done now; null when it can. */
  refusal: string | null;
}

const UNCONFIRMED = "The loan is unconfirmed. It can be ended once a block holds it.";
const CLAIMING = "The lender's claim waits for its block.";
const REPLACED = "Another loan is to replace this one. Give that up first.";

/** What the reader can do with a loan, the most likely first. */
export function loanActs(loan: Loan, nowMs: number): LoanAct[] {
  if (isOver(loan)) return [];
  return loan.role === "borrower" ? borrowerActs(loan) : lenderActs(loan, nowMs);
}

/** The one act of a row in a list; null when there is nothing to do. */
export function firstAct(loan: Loan, nowMs: number): LoanAct | null {
  return loanActs(loan, nowMs)[0] ?? null;
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
      return [act("sign", "Sign"), act("giveUp", "Give it up")];
    case "awaiting_lender":
      return [act("giveUp", isExtension(loan) ? "Take the request back" : "Give it up")];
    case "repaying":
      return loan.ending === "repayment" ? [act("raiseRepayment", "Raise the fee")] : [];
    case "broadcast":
      return endings(loan, UNCONFIRMED);
    case "claiming":
      return endings(loan, CLAIMING);
    case "active":
    case "expired":
      return endings(loan, loan.followedBy === null ? null : REPLACED);
    default:
      return [];
  }
}

function endings(loan: Loan, refusal: string | null): LoanAct[] {
  const acts = [act("repay", "Repay", refusal)];
  // A note dies on its first move, so a pledge of BRC-20 cannot change hands.
  if (loan.collateralType === "brc20") return acts;
  acts.push(act("refinance", "Refinance", refusal));
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
  if (loan.followedBy !== null) return "Another loan is to replace this one.";
  if (nowMs < loan.claimAfter) return `Only if it is not repaid, from ${formatMoment(loan.claimAfter)} on.`;
  return null;
}

function act(name: LoanActName, label: string, refusal: string | null = null): LoanAct {
  return { name, label, refusal };
}
