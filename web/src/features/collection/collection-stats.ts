import type { Collection, ProcessType } from "@/shared/api/collection";

export interface CollectionStats {
  /** Offers of both process types that can be taken. */
  offerCount: number;
  /** The most a lender can earn in a year, or the least a borrower must pay; null where nothing is lent this way. */
  ratePercent: number | null;
  /** Of the best offer; without one, of all there could be. */
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
  return {
    offerCount: (row.manual?.offerCount ?? 0) + (row.instant?.offerCount ?? 0),
    ratePercent: quotes ? (mode === "lend" ? quotes.maxAPY : quotes.minInterest) : null,
    term: quotes?.term ? `${quotes.term}d` : termRange(row, shown),
    ltvPercent: quotes?.ltv ?? null,
  };
}

function termRange({ subCollections }: Collection, process: ProcessType): string {
  const terms = subCollections.filter((sub) => sub[process]).map(({ term }) => term);
  if (terms.length === 0) return "–";
  const [shortest, longest] = [Math.min(...terms), Math.max(...terms)];
  return shortest === longest ? `${shortest}d` : `${shortest}–${longest}d`;
}
