import type { Loan, LoanStage } from "@/shared/api/loan";
import { isSeveral } from "@/shared/api/pledge";
import { formatMoment } from "@/shared/format/age";
import type { BadgeTone } from "@/shared/ui/badge";
import { allCollateral, collateralIs } from "./loan-collateral";

/** Final stages of a loan. */
export const ENDED_STAGES: readonly LoanStage[] = ["repaid", "claimed", "cancelled", "lapsed", "failed"];

export function isOver({ stage }: Pick<Loan, "stage">): boolean {
  return ENDED_STAGES.includes(stage);
}

/** Whether it extends another loan, so that no money is newly lent. */
export function isExtension(loan: Pick<Loan, "extendedUntil">): boolean {
  return loan.extendedUntil !== null;
}

/** The time that the user waits for, and its event. */
export interface Milestone {
  atMs: number;
  label: string;
  /** Whether blocks decide it, as when a loan is due or can be claimed. */
  isByBlocks: boolean;
}

/** The target of the countdown; null without a deadline. */
export function milestone(loan: Loan, nowMs: number): Milestone | null {
  if (loan.stage === "prepared" || loan.stage === "awaiting_lender") {
    return loan.expiresAt === null ? null : { atMs: loan.expiresAt, label: "to sign", isByBlocks: false };
  }
  if (isOver(loan) || loan.dueAt === null) return null;
  if (loan.stage === "active" && nowMs < loan.dueAt) {
    return { atMs: loan.dueAt, label: "until due", isByBlocks: true };
  }
  if (nowMs >= loan.claimAfter) return null;
  return { atMs: loan.claimAfter, label: "until it can be claimed", isByBlocks: true };
}

interface StateText {
  label: string;
  tone: BadgeTone;
}

/** The state of a loan in a word or two, from the user's side. */
export function stateText(loan: Loan, nowMs: number): StateText {
  const isBorrower = loan.role === "borrower";
  switch (loan.stage) {
    case "prepared":
      return isBorrower
        ? { label: "Awaiting your signature", tone: "warn" }
        : { label: "Awaiting the borrower", tone: "neutral" };
    case "awaiting_lender":
      return isBorrower
        ? { label: "Awaiting the lender", tone: "neutral" }
        : { label: "Awaiting your signature", tone: "warn" };
    case "broadcast":
      return { label: "Unconfirmed", tone: "neutral" };
    case "active":
    case "expired":
      if (loan.stage === "active" && !loan.isOverdue) return { label: "Running", tone: "up" };
      return nowMs >= loan.claimAfter
        ? { label: "Claimable", tone: "down" }
        : { label: "Overdue", tone: "warn" };
    case "repaying":
      return { label: loan.ending === "repayment" ? "Repaying" : "Being replaced", tone: "neutral" };
    case "claiming":
      return { label: "Claiming", tone: "down" };
    case "repaid":
      return { label: endingText(loan), tone: "up" };
    case "claimed":
      return { label: "Claimed", tone: "down" };
    case "cancelled":
      return { label: "Cancelled", tone: "neutral" };
    case "lapsed":
      return { label: "Not signed in time", tone: "neutral" };
    case "failed":
      return { label: "Failed to start", tone: "down" };
  }
}

function endingText({ ending }: Loan): string {
  if (ending === "refinance") return "Refinanced";
  return ending === "extension" ? "Extended" : "Repaid";
}

/** The next event without any action, or the recommended action. One or two sentences. */
export function nextStepText(loan: Loan, nowMs: number): string {
  const isBorrower = loan.role === "borrower";
  const claim = formatMoment(loan.claimAfter);
  switch (loan.stage) {
    case "prepared":
      return isBorrower
        ? `${signedNext(loan)} If you do not sign, it expires.`
        : "Nothing to do: it is waiting for the borrower's signature and expires without it.";
    case "awaiting_lender":
      return isBorrower
        ? "The lender has 12 hours to counter-sign. If that does not happen, your collateral is available again."
        : "Counter-sign it, and it is broadcast at once. If you do not sign in time, it expires and your coins are available again.";
    case "broadcast":
      return "It is broadcast and waiting for confirmation. The term begins with its first confirmation.";
    case "active":
    case "expired":
      return runningNext(loan, nowMs, claim);
    case "repaying":
      if (loan.ending !== "repayment") return replacedNext(loan);
      return isBorrower
        ? `Your repayment is waiting for confirmation. Raise its fee if it takes too long: ${lateClaim(nowMs, loan.claimAfter, claim)}`
        : "The borrower's repayment is waiting for confirmation. It pays you principal and interest in one output.";
    case "claiming":
      return isBorrower
        ? "The lender's claim is waiting for confirmation. Until then a repayment with a higher fee could still replace it."
        : `Your claim is waiting for confirmation. Then ${allCollateral(loan)} ${isSeveral(loan) ? "arrive" : "arrives"} at your ordinals address.`;
    case "repaid":
      return repaidNext(loan);
    case "claimed":
      return isBorrower
        ? `The lender took ${allCollateral(loan)}. You keep what you borrowed and owe nothing.`
        : `${collateralIs(loan)} in your wallet, and the loan is closed.`;
    case "cancelled":
      return "It did not start. Nothing moved, and nothing is reserved any more.";
    case "lapsed":
      return "It was not signed in time and did not start. Nothing moved, and nothing is reserved any more.";
    case "failed":
      return "It could not start because one of its coins was spent. Nothing of this loan moved.";
  }
}

function signedNext({ loanProcessType }: Loan): string {
  return loanProcessType === "Instant"
    ? "Sign it, and it starts at once."
    : "Sign it, and the lender has 12 hours to counter-sign.";
}

/** The next event of a loan whose successor is unconfirmed. */
function replacedNext({ role, ending }: Loan): string {
  if (ending === "extension") {
    return "The extension is waiting for confirmation. It pays the interest of this term, and the next term follows.";
  }
  return role === "borrower"
    ? "The loan that replaces this one is waiting for confirmation. It repays this one and holds the collateral then."
    : "The loan that replaces this one is waiting for confirmation. It pays you principal and interest in one output.";
}

function lateClaim(nowMs: number, claimAfterMs: number, claim: string): string {
  return nowMs >= claimAfterMs
    ? "the lender may claim the collateral until it is confirmed."
    : `from ${claim} on the lender may claim the collateral instead.`;
}

function runningNext(loan: Loan, nowMs: number, claim: string): string {
  const isBorrower = loan.role === "borrower";
  if (loan.stage === "active" && !loan.isOverdue) {
    const due = loan.dueAt === null ? "its due date" : formatMoment(loan.dueAt);
    return isBorrower
      ? `Repay by ${due}. From ${claim} on the lender may take the collateral instead.`
      : `The borrower repays by ${due}. If not, you may claim the collateral from ${claim} on.`;
  }
  if (nowMs < loan.claimAfter) {
    return isBorrower
      ? `It is overdue, and you can still repay. From ${claim} on the lender may take the collateral.`
      : `It is overdue. The borrower can still repay; you may claim the collateral from ${claim} on.`;
  }
  return isBorrower
    ? "The lender may claim the collateral at any moment. You can repay as long as that has not happened."
    : "You may claim the collateral now. The borrower can repay until your claim is confirmed.";
}

function repaidNext(loan: Loan): string {
  const { role, ending } = loan;
  if (ending === "extension") return "Its interest was paid, and another loan follows with a later due date.";
  const isBorrower = role === "borrower";
  if (ending === "refinance") {
    return isBorrower
      ? "Another loan paid it and holds the collateral now."
      : "Another lender paid you, principal and interest in one output.";
  }
  return isBorrower
    ? `${collateralIs(loan)} back at your ordinals address.`
    : "Principal and interest are at your payment address.";
}
