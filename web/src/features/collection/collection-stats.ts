import type { Collection, ProcessType } from "@/shared/api/collection";
import { rateOf, shownTerms } from "@/shared/api/shown-terms";

/** Figures that belong together: all of the best offer, or without one of a possible term. */
export interface CollectionStats {
  /** Number of available offers of both process types. */
  offerCount: number;
  /** The available sum of the best offer; null without one. */
  bestSats: bigint | null;
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
): CollectionStats {
  const shown: ProcessType = row[process] ? process : process === "manual" ? "instant" : "manual";
  const quotes = row[shown];
  const terms = shownTerms(row, shown, mode);
  return {
    offerCount: (row.manual?.offerCount ?? 0) + (row.instant?.offerCount ?? 0),
    bestSats: quotes?.bestOffer ?? null,
    ratePercent: terms && rateOf(terms, mode),
    term: terms ? `${terms.term}d` : "–",
    ltvPercent: quotes?.ltv ?? null,
  };
}
