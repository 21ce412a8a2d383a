import type { Collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { bpsOf, interestOf } from "@/shared/api/loan-figures";
import type { Negotiation } from "@/shared/api/negotiation";

const DAY_MS = 86_400_000;

/** A possible term of an extension. */
export interface ExtensionTerm {
  days: number;
  /** Percent. */
  interest: number;
  interestSats: bigint;
  /** Counted from the loan's due date, however early it is requested. */
  dueAt: number;
  /** The negotiation in which both sides agreed on it; null for a term of the collection. */
  negotiationId: string | null;
}

/**
 * The terms that both sides agreed on, the latest first; then the loan's own term, and the other manual ones
 * for the same amount of collateral, each once, the shortest first.
 */
export function extensionTerms(
  loan: Loan,
  row: Pick<Collection, "subCollections"> | undefined,
  negotiations: Iterable<Negotiation>,
): ExtensionTerm[] {
  const agreed = [...negotiations]
    .filter(({ loanId, state }) => loanId === loan.loanId && state === "accepted")
    .sort((one, other) => other.changedAt - one.changedAt)
    .flatMap(({ negotiationId, proposals }) =>
      proposals.slice(-1).map(({ termDays, interestBps }) => ({
        ...extensionTerm(loan, termDays, interestBps),
        negotiationId,
      })),
    );
  return [...agreed, ...collectionTerms(loan, row)];
}

function collectionTerms(loan: Loan, row: Pick<Collection, "subCollections"> | undefined): ExtensionTerm[] {
  const rates = new Map([[loan.term, loan.interest]]);
  const own = row?.subCollections.find(({ slug }) => slug === loan.collectionSlug);
  for (const sub of row?.subCollections ?? []) {
    const isAlike = own !== undefined && sub.manual && sub.bundleSize === own.bundleSize;
    if (isAlike && !rates.has(sub.term)) rates.set(sub.term, sub.interest);
  }
  return [...rates]
    .sort(([a], [b]) => a - b)
    .map(([days, interest]) => extensionTerm(loan, days, bpsOf(interest)));
}

function extensionTerm(loan: Loan, days: number, interestBps: number): ExtensionTerm {
  return {
    days,
    interest: interestBps / 100,
    interestSats: interestOf(loan.principal, interestBps),
    dueAt: (loan.dueAt ?? loan.claimAfter) + days * DAY_MS,
    negotiationId: null,
  };
}
