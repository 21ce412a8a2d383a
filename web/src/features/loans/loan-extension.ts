import type { Collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { bpsOf, interestOf } from "@/shared/api/loan-figures";

const DAY_MS = 86_400_000;

/** A possible term of an extension. */
export interface ExtensionTerm {
  days: number;
  /** Percent. */
  interest: number;
  interestSats: bigint;
  /** Counted from the loan's due date, however early it is requested. */
  dueAt: number;
}

/**
 * The loan's own term, and the other manual ones for the same amount of collateral; each once, the shortest
 * first.
 */
export function extensionTerms(
  loan: Loan,
  row: Pick<Collection, "subCollections"> | undefined,
): ExtensionTerm[] {
  const rates = new Map([[loan.term, loan.interest]]);
  const own = row?.subCollections.find(({ slug }) => slug === loan.collectionSlug);
  for (const sub of row?.subCollections ?? []) {
    const isAlike = own !== undefined && sub.manual && sub.bundleSize === own.bundleSize;
    if (isAlike && !rates.has(sub.term)) rates.set(sub.term, sub.interest);
  }
  return [...rates]
    .sort(([a], [b]) => a - b)
    .map(([days, interest]) => ({
      days,
      interest,
      interestSats: interestOf(loan.principal, bpsOf(interest)),
      dueAt: (loan.dueAt ?? loan.claimAfter) + days * DAY_MS,
    }));
}
