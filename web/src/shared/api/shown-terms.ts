import type { Collection, ProcessType } from "./collection";

export type Side = "borrow" | "lend";

/** Length, interest and yield that belong together: of one offer or one term. */
export interface ShownTerms {
  /** Days. */
  term: number;
  /** Percent for the whole term. */
  interest: number;
  /** Percent a year. */
  apy: number;
}

/** The terms of the best offer; without one, those that pay a lender most or cost a borrower least. */
export function shownTerms(row: Collection, process: ProcessType, side: Side): ShownTerms | null {
  const quotes = row[process];
  if (quotes === null) return null;
  const { term, interest, apy } = quotes;
  if (term !== null && interest !== null && apy !== null) return { term, interest, apy };
  return bestTerms(row, process, side);
}

/**
 * The one term with the highest yield for a lender or the lowest interest for a borrower; the shorter of
 * equal ones.
 */
function bestTerms(
  { subCollections }: Pick<Collection, "subCollections">,
  process: ProcessType,
  side: Side,
): ShownTerms | null {
  const score = (terms: ShownTerms) => (side === "lend" ? -terms.apy : terms.interest);
  const [first] = subCollections
    .filter((sub) => sub[process])
    .sort((a, b) => score(a) - score(b) || a.term - b.term);
  return first ? { term: first.term, interest: first.interest, apy: first.apy } : null;
}

/** The rate that a side compares first: the yearly yield of a lender, the interest of a borrower. */
export function rateOf(terms: ShownTerms, side: Side): number {
  return side === "lend" ? terms.apy : terms.interest;
}
