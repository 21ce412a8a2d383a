import type { Collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";

const DAY_MS = 86_400_000;
const BPS = 10_000n;

/** A term that can follow on the running one. */
export interface ExtensionTerm {
  days: number;
  /** Percent. */
  interest: number;
  interestSats: bigint;
  /** On top of the day on which the loan is due, however early it is asked for. */
  dueAt: number;
}

/** The loan's own term, and the other manual ones for as much collateral; each once, the shortest first. */
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
      interestSats: interestOf(loan.principal, interest),
      dueAt: (loan.dueAt ?? loan.claimAfter) + days * DAY_MS,
    }));
}

/** Interest on a principal as the server reckons it: whole sats, rounded up. */
export function interestOf(principal: bigint, interestPercent: number): bigint {
  const product = principal * BigInt(Math.max(0, Math.round(interestPercent * 100)));
  return (product + BPS - 1n) / BPS;
}
