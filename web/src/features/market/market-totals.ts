import { type Category, type Collection, categoryOf, type ProcessType } from "@/shared/api/collection";
import { rateOf, type ShownTerms } from "@/shared/api/shown-terms";
import type { Mode } from "./market-rows";

/** The totals of a part of the market. */
export interface MarketTotals {
  /** The sum that its offers lend. A vault counts once in each collection that it backs. */
  liquiditySats: bigint;
  offerCount: number;
  /** The sum lent within a day, by every kind of offer. */
  lent24hSats: bigint;
  /** Of every kind of offer. */
  runningLoans: number;
  /**
   * The best yield for a lender or the lowest interest for a borrower among the best offers; null without
   * one.
   */
  best: { terms: ShownTerms; collectionName: string } | null;
}

/** Sums up a category, with the offers of one process type only. */
export function marketTotals(
  market: Iterable<Collection>,
  category: Category,
  process: ProcessType,
  mode: Mode,
): MarketTotals {
  const totals: MarketTotals = {
    liquiditySats: 0n,
    offerCount: 0,
    lent24hSats: 0n,
    runningLoans: 0,
    best: null,
  };
  for (const row of market) {
    if (categoryOf(row.collateralType) !== category) continue;
    totals.lent24hSats += row.internalVolumeStats.volume24h;
    totals.runningLoans += row.runningLoans;
    const quotes = row[process];
    if (quotes === null) continue;
    totals.liquiditySats += quotes.liquiditySats;
    totals.offerCount += quotes.offerCount;
    const { term, interest, apy } = quotes;
    if (term === null || interest === null || apy === null) continue;
    const terms = { term, interest, apy };
    if (totals.best === null || isBetter(terms, totals.best.terms, mode)) {
      totals.best = { terms, collectionName: row.collectionName };
    }
  }
  return totals;
}

function isBetter(one: ShownTerms, other: ShownTerms, mode: Mode): boolean {
  const [left, right] = [rateOf(one, mode), rateOf(other, mode)];
  return mode === "lend" ? left > right : left < right;
}
