import {
  type Category,
  type Collection,
  categoryOf,
  type ProcessType,
  type Quotes,
} from "@/shared/api/collection";
import { rateOf, type ShownTerms, shownTerms } from "@/shared/api/shown-terms";
import { rowFor, type Taker } from "@/shared/feed/taker";
import type { ChangePeriod, Filter, MarketView, VolumePeriod } from "./market-view";

export type Mode = "borrow" | "lend";

/** One row of the table: a group and a summary of its offers. */
export interface MarketRow {
  collection: Collection;
  /** With the best offer that the user can take, for a borrower. */
  quotes: Quotes;
  /** Whether that is not the public best offer. */
  isForUser: boolean;
  /** Length and rate of one offer or one term; null where the process type is not available. */
  terms: ShownTerms | null;
  favourite: boolean;
}

export interface RowSelection {
  mode: Mode;
  category: Category;
  view: MarketView;
  favourites: ReadonlySet<string>;
  /** Groups that concern the signed-in user; null while signed out. */
  forYou: ReadonlySet<string> | null;
  /** Null while signed out. */
  taker: Taker | null;
}

/** The filtered rows, sorted. */
export function selectRows(market: Iterable<Collection>, selection: RowSelection): MarketRow[] {
  const { mode, category, view, forYou, taker } = selection;
  const needle = view.q.trim().toLocaleLowerCase("en");
  const rows: MarketRow[] = [];
  for (const collection of market) {
    if (categoryOf(collection.collateralType) !== category) continue;
    const seen = taker !== null && mode === "borrow" ? rowFor(collection, view.process, taker) : collection;
    const quotes = seen[view.process];
    if (quotes === null) continue;
    if (needle !== "" && !matches(collection, needle)) continue;
    const row = rowOf(collection, seen, quotes, selection);
    if (passes(row, view.filters, forYou)) rows.push(row);
  }
  return sorted(rows, view, mode);
}

const rowCache = new WeakMap<Collection, MarketRow & { mode: Mode }>();

/** Caches the row of each collection, so that a market of thousands creates new objects only for changes. */
function rowOf(
  collection: Collection,
  seen: Collection,
  quotes: Quotes,
  { mode, view, favourites }: RowSelection,
): MarketRow {
  const favourite = favourites.has(collection.id);
  const known = rowCache.get(collection);
  if (known && known.quotes === quotes && known.mode === mode && known.favourite === favourite) return known;
  const terms = shownTerms(seen, view.process, mode);
  const row = { collection, quotes, isForUser: seen !== collection, terms, mode, favourite };
  rowCache.set(collection, row);
  return row;
}

/** Whether prices of this part of the market have a history to compare with. */
export function hasPriceChanges(category: Category, process: ProcessType): boolean {
  return category === "ordinals" || (category === "runes" && process === "instant");
}

/**
 * Traded volume of a period in sats; the total when no period is shown, so that sorting by it still has a
 * meaning.
 */
export function volumeOf(collection: Collection, period: VolumePeriod): bigint {
  const stats = collection.marketVolumeStats ?? collection.internalVolumeStats;
  switch (period) {
    case "1d":
      return stats.volume24h;
    case "7d":
      return stats.volume7d;
    case "30d":
      return stats.volume30d;
    default:
      return stats.totalVolume;
  }
}

export function changeOf(collection: Collection, period: ChangePeriod): number | null {
  const stats = collection.priceChangeStats;
  switch (period) {
    case "7d":
      return stats.change7d;
    case "30d":
      return stats.change30d;
    default:
      return stats.change24h;
  }
}

/** The length of the row's terms as text. */
export function termText({ terms }: MarketRow): string {
  return terms === null ? "–" : `${terms.term}d`;
}

function matches(collection: Collection, needle: string): boolean {
  return [
    collection.collectionName,
    collection.collectionSymbol,
    collection.ticker,
    collection.runeName,
  ].some((name) => name?.toLocaleLowerCase("en").includes(needle));
}

/** Whether a row passes. Has offers and No offers together exclude nothing; the other filters narrow. */
function passes(row: MarketRow, filters: readonly Filter[], forYou: ReadonlySet<string> | null): boolean {
  const filtersOffers = filters.includes("has-offers");
  const filtersNoOffers = filters.includes("no-offers");
  if (filtersOffers !== filtersNoOffers && (row.quotes.bestOffer !== null) !== filtersOffers) return false;
  if (filters.includes("favorites") && !row.favourite) return false;
  if (filters.includes("for-you") && forYou && !forYou.has(row.collection.id)) return false;
  return true;
}

type Value = bigint | number | string | null;

/** Sorts the rows for the view. The sort key is looked up once per row, not per comparison. */
function sorted(rows: readonly MarketRow[], view: MarketView, mode: Mode): MarketRow[] {
  const { sort } = view;
  const direction = sort.descending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: sortValue(row, view, mode) }));
  keyed.sort((a, b) => {
    if (a.value === b.value) return byName(a.row, b.row);
    // Unknown values are last in both directions.
    if (a.value === null) return 1;
    if (b.value === null) return -1;
    return (a.value < b.value ? -1 : 1) * direction;
  });
  return keyed.map(({ row }) => row);
}

function sortValue(row: MarketRow, { sort, volume, change }: MarketView, mode: Mode): Value {
  switch (sort.key) {
    case "name":
      return row.collection.collectionName.toLocaleLowerCase("en");
    case "offer":
      return row.quotes.bestOffer;
    case "rate":
      return row.terms && rateOf(row.terms, mode);
    case "term":
      return row.terms?.term ?? null;
    case "ltv":
      return row.quotes.ltv;
    case "price":
      return row.collection.floor ?? row.collection.unitPrice;
    case "volume":
      return volumeOf(row.collection, volume);
    case "change":
      return changeOf(row.collection, change);
  }
}

function byName(a: MarketRow, b: MarketRow): number {
  const left = a.collection.collectionName;
  const right = b.collection.collectionName;
  if (left !== right) return left < right ? -1 : 1;
  return a.collection.id < b.collection.id ? -1 : 1;
}
