import { createParser, parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import type { ProcessType } from "@/shared/api/collection";

export const FILTERS = ["has-offers", "no-offers", "favorites", "for-you"] as const;
export type Filter = (typeof FILTERS)[number];

export const FILTER_LABEL: Record<Filter, string> = {
  "has-offers": "Has offers",
  "no-offers": "No offers",
  favorites: "Favorites",
  "for-you": "For you",
};

export const VOLUMES = ["total", "1d", "7d", "30d", "none"] as const;
export type VolumePeriod = (typeof VOLUMES)[number];

export const CHANGES = ["24h", "7d", "30d", "none"] as const;
export type ChangePeriod = (typeof CHANGES)[number];

export const SORT_KEYS = ["name", "offer", "rate", "term", "ltv", "price", "volume", "change"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface Sort {
  key: SortKey;
  descending: boolean;
}

export const DEFAULT_SORT: Sort = { key: "volume", descending: true };

/** The next sort order: names start with A, numbers with the largest; a second press reverses the column. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  if (sort.key === key) return { key, descending: !sort.descending };
  return { key, descending: key !== "name" && key !== "term" };
}

/** `offer` sorts ascending, `-offer` descending. */
const parseAsSort = createParser<Sort>({
  parse: (text) => {
    const descending = text.startsWith("-");
    const key = SORT_KEYS.find((known) => known === (descending ? text.slice(1) : text));
    return key ? { key, descending } : null;
  },
  serialize: ({ key, descending }) => `${descending ? "-" : ""}${key}`,
  eq: (a, b) => a.key === b.key && a.descending === b.descending,
});

/** The user's choices about the table; they are in the URL, so that a link shows the same rows. */
export interface MarketView {
  process: ProcessType;
  q: string;
  filters: Filter[];
  volume: VolumePeriod;
  change: ChangePeriod;
  sort: Sort;
}

const PARSERS = {
  process: parseAsStringLiteral(["manual", "instant"] as const).withDefault("manual"),
  q: parseAsString.withDefault(""),
  filters: parseAsArrayOf(parseAsStringLiteral(FILTERS)).withDefault([]),
  volume: parseAsStringLiteral(VOLUMES).withDefault("1d"),
  change: parseAsStringLiteral(CHANGES).withDefault("24h"),
  sort: parseAsSort.withDefault(DEFAULT_SORT),
};

export function useMarketView(): [MarketView, (change: Partial<MarketView>) => void] {
  const [view, setView] = useQueryStates(PARSERS, { history: "replace", clearOnDefault: true });
  return [view, (change) => void setView(change)];
}
