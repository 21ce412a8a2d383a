import type { Collection, Quotes } from "@/shared/api/collection";

export interface CollectionStats {
  /** Offers of both process types that can be taken. */
  offerCount: number;
  /** The most a lender can earn in a year, or the least a borrower must pay. */
  ratePercent: number | null;
  /** Of the offer that lends most, or of all there are. */
  term: string;
  /** Current LTV of the offer that lends most; null without offers. */
  ltvPercent: number | null;
}

/** What a group comes to over both process types. */
export function collectionStats(row: Collection, mode: "borrow" | "lend"): CollectionStats {
  const parts = [row.manual, row.instant].filter((quotes) => quotes !== null);
  const offering = parts.filter(({ offerCount }) => offerCount > 0);
  const rates = parts.map(({ maxAPY, minInterest }) => (mode === "lend" ? maxAPY : minInterest));
  const best = offering.reduce<Quotes | null>(
    (most, next) => ((next.bestOffer ?? 0n) > (most?.bestOffer ?? 0n) ? next : most),
    null,
  );
  return {
    offerCount: parts.reduce((sum, { offerCount }) => sum + offerCount, 0),
    ratePercent: rates.length === 0 ? null : mode === "lend" ? Math.max(...rates) : Math.min(...rates),
    term: termText(best?.term ?? null, row),
    ltvPercent: best?.ltv ?? null,
  };
}

function termText(best: number | null, { subCollections }: Collection): string {
  if (best !== null) return `${best}d`;
  if (subCollections.length === 0) return "–";
  const terms = subCollections.map(({ term }) => term);
  const [shortest, longest] = [Math.min(...terms), Math.max(...terms)];
  return shortest === longest ? `${shortest}d` : `${shortest}–${longest}d`;
}
