import type { Loan } from "@/shared/api/loan";
import { bpsOf } from "@/shared/api/loan-figures";
import type { Negotiation, Proposal } from "@/shared/api/negotiation";
import type { BadgeTone } from "@/shared/ui/badge";

/** The latest proposal; undefined only while nothing was proposed. */
export function latestOf({ proposals }: Negotiation): Proposal | undefined {
  return proposals.at(-1);
}

/** Whether its latest proposal can be answered. */
export function isOpen(negotiation: Negotiation, nowMs: number): boolean {
  return negotiation.state === "open" && (latestOf(negotiation)?.goodUntil ?? 0) > nowMs;
}

export function isUsersTurn(negotiation: Negotiation, nowMs: number): boolean {
  return negotiation.isYourTurn && isOpen(negotiation, nowMs);
}

/** Whether the user's answer could be another proposal. */
export function canCounter({ proposals, roundsMax }: Negotiation): boolean {
  return proposals.length < roundsMax;
}

/** What the user can sign: offers to the user, and the user's loans. */
export interface Signable {
  offersForMe: ReadonlyMap<string, unknown>;
  loans: ReadonlyMap<string, SignableLoan>;
}

type SignableLoan = Pick<
  Loan,
  "loanId" | "stage" | "offerId" | "follows" | "extendedUntil" | "term" | "interest"
>;

/** Whether the user is to sign what was agreed: the offer can still be taken, or the loan still be extended. */
export function isToSign(negotiation: Negotiation, signable: Signable): boolean {
  const { state, role, agreedOfferId, loanId } = negotiation;
  if (state !== "accepted" || role !== "borrower") return false;
  if (loanId === null) return signable.offersForMe.has(agreedOfferId ?? "");
  return canRunOn(negotiation, signable) && signedLoan(negotiation, signable.loans.values()) === undefined;
}

/** Whether the loan to extend, if it is about one, runs and nothing ends it. */
export function canRunOn({ loanId }: Negotiation, { loans }: Pick<Signable, "loans">): boolean {
  const stage = loans.get(loanId ?? "")?.stage;
  return loanId === null || stage === "active" || stage === "expired";
}

/** The loan that was signed for what was agreed: that of its offer, or the extension; undefined before. */
export function signedLoan<Of extends SignableLoan>(
  negotiation: Negotiation,
  loans: Iterable<Of>,
): Of | undefined {
  const { state, agreedOfferId, loanId } = negotiation;
  if (state !== "accepted") return undefined;
  return [...loans].find((loan) => {
    if (NEVER_BEGUN.has(loan.stage)) return false;
    return loanId === null ? loan.offerId === agreedOfferId : isExtensionAsAgreed(loan, negotiation);
  });
}

/** Whether a loan is the extension of the negotiated one on the agreed terms, and not on others. */
function isExtensionAsAgreed(loan: SignableLoan, negotiation: Negotiation): boolean {
  const agreed = latestOf(negotiation);
  const isExtension = loan.follows === negotiation.loanId && loan.extendedUntil !== null;
  return isExtension && loan.term === agreed?.termDays && bpsOf(loan.interest) === agreed.interestBps;
}

const NEVER_BEGUN: ReadonlySet<Loan["stage"]> = new Set(["prepared", "cancelled", "lapsed", "failed"]);

/** Negotiations in the order of a list: those that wait for the user, open ones, the others; the latest first. */
export function inOrder(
  negotiations: Iterable<Negotiation>,
  signable: Signable,
  nowMs: number,
): Negotiation[] {
  const group = (each: Negotiation) => {
    if (isUsersTurn(each, nowMs) || isToSign(each, signable)) return 0;
    return isOpen(each, nowMs) ? 1 : 2;
  };
  return [...negotiations].sort(
    (one, other) =>
      group(one) - group(other) ||
      other.changedAt - one.changedAt ||
      (one.negotiationId < other.negotiationId ? -1 : 1),
  );
}

/** The number of negotiations that wait for the user. */
export function waitingCount(negotiations: Iterable<Negotiation>, signable: Signable, nowMs: number): number {
  return [...negotiations].filter((each) => isUsersTurn(each, nowMs) || isToSign(each, signable)).length;
}

/** The other side of the loan, in a word. */
export function otherSide({ role }: Pick<Negotiation, "role">): "borrower" | "lender" {
  return role === "lender" ? "borrower" : "lender";
}

/** The state as a label, from the user's side. */
export function stateText(negotiation: Negotiation, nowMs: number): { label: string; tone: BadgeTone } {
  const { state, role } = negotiation;
  const other = otherSide(negotiation);
  const isOwn = latestOf(negotiation)?.by === role;
  switch (state) {
    case "open":
      if (!isOpen(negotiation, nowMs)) return { label: "Expired", tone: "neutral" };
      if (negotiation.isYourTurn) return { label: "Your turn", tone: "warn" };
      return { label: `Waiting for the ${other}`, tone: "neutral" };
    case "accepted":
      return { label: "Accepted", tone: "up" };
    case "declined":
      return { label: isOwn ? `Declined by the ${other}` : "You declined", tone: "neutral" };
    case "withdrawn":
      return { label: isOwn ? "You withdrew" : `Withdrawn by the ${other}`, tone: "neutral" };
    case "closed":
      return { label: "Closed", tone: "neutral" };
  }
}

/**
 * The reason why a proposal that the user has seen cannot be answered any more; null while it can, and while
 * the negotiations are loading.
 */
export function replacedText(
  seen: Negotiation,
  negotiations: ReadonlyMap<string, Negotiation> | undefined,
  nowMs: number,
): string | null {
  if (!negotiations) return null;
  const live = negotiations.get(seen.negotiationId);
  if (!live || !isOpen(live, nowMs)) return "The negotiation is over";
  if (live.proposals.length !== seen.proposals.length) return "There is a newer proposal";
  return null;
}
