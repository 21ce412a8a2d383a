import type { Collection, ProcessType } from "@/shared/api/collection";
import { rateOf, shownTerms } from "@/shared/api/shown-terms";
import { rowFor, type Taker } from "@/shared/feed/taker";

/** Figures that belong together: all of the best offer, or without one of a possible term. */
export interface CollectionStats {
  /** Number of available offers of both process types. */
  offerCount: number;
  /** The available sum of the best offer, for a borrower of the best one that they can take; null without one. */
  bestSats: bigint | null;
  /** Whether that is not the public best offer. */
  isForUser: boolean;
  /** Its yearly yield for a lender, its interest for a borrower; null where this process is not available. */
  ratePercent: number | null;
  /** Its length. */
  term: string;
  /** Its current LTV; null without an offer. */
  ltvPercent: number | null;
}

/** The figures of a group for one process type, or for the other where that one is not available. */
export function collectionStats(
  row: Collection,
  mode: "borrow" | "lend",
  process: ProcessType,
  taker: Taker | null,
): CollectionStats {
  const shown: ProcessType = row[process] ? process : process === "manual" ? "instant" : "manual";
  const seen = taker !== null && mode === "borrow" ? rowFor(row, shown, taker) : row;
  const quotes = seen[shown];
  const terms = shownTerms(seen, shown, mode);
  return {
    offerCount: (row.manual?.offerCount ?? 0) + (row.instant?.offerCount ?? 0),
    bestSats: quotes?.bestOffer ?? null,
    isForUser: seen !== row,
    ratePercent: terms && rateOf(terms, mode),
    term: terms ? `${terms.term}d` : "–",
    ltvPercent: quotes?.ltv ?? null,
  };
}
