import type { Collection, ProcessType } from "@/shared/api/collection";
import { rateOf, shownTerms } from "@/shared/api/shown-terms";

/** Figures that stand together: all of the best offer, or without one the terms there could be. */
export interface CollectionStats {
  /** Offers of both process types that can be taken. */
  offerCount: number;
  /** What can be taken of the best offer; null without one. */
  bestSats: bigint | null;
  /** Its yearly yield for a lender, its interest for a borrower; null where nothing is lent this way. */
  ratePercent: number | null;
  /** Its length. */
  term: string;
  /** Its current LTV; null without an offer. */
  ltvPercent: number | null;
}

/** What a group comes to by offers of one process type, or of the other where that type is not lent. */
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
