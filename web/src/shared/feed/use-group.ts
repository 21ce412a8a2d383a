import { useMemo } from "react";
import type { Collection } from "@/shared/api/collection";
import { useMarket } from "./use-feed";

export interface FoundGroup {
  row: Collection | null;
  /** The reason for a missing row: the market is loading, does not list the slug, or cannot be loaded. */
  absence: "waiting" | "unlisted" | "refused" | null;
}

/** The group that a URL names, kept up to date while the component is mounted. */
export function useGroup(slug: string): FoundGroup {
  const market = useMarket();
  const row = useMemo(() => findBySlug(market.data?.values() ?? [], slug), [market.data, slug]);
  if (row) return { row, absence: null };
  if (market.data) return { row: null, absence: "unlisted" };
  return { row: null, absence: market.refusal === null ? "waiting" : "refused" };
}

function findBySlug(rows: Iterable<Collection>, slug: string): Collection | null {
  for (const row of rows) if (row.groupSlug === slug) return row;
  return null;
}
