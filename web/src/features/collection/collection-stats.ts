import type { Collection, ProcessType } from "@/shared/api/collection";
import { bestTerms, rateOf } from "@/shared/api/shown-terms";

export interface CollectionStats {
  /** Offers of both process types that can be taken. */
  offerCount: number;
  /** The most a lender can earn in a year, or the least a borrower must pay; null where nothing is lent this way. */
  ratePercent: number | null;
  /** The term with that rate. */
  term: string;
  /** Current LTV of the best offer; null without one. */
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
  const terms = quotes && bestTerms(row, shown, mode);
  return {
    offerCount: (row.manual?.offerCount ?? 0) + (row.instant?.offerCount ?? 0),
    ratePercent: terms && rateOf(terms, mode),
    term: terms ? `${terms.term}d` : "–",
    ltvPercent: quotes?.ltv ?? null,
  };
}
