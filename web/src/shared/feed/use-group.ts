import { useMemo } from "react";
import type { Collection } from "@/shared/api/collection";
import { useMarket } from "./use-feed";

export interface FoundGroup {
  row: Collection | null;
  /** The reason for a missing row: the market is loading, does not list the slug, or cannot be loaded. */
  missing: "waiting" | "unlisted" | "refused" | null;
}

/** The group that a URL names, kept up to date while the component is mounted. */
export function useGroup(slug: string): FoundGroup {
  const market = useMarket();
  const row = useMemo(() => findBySlug(market.data?.values() ?? [], slug), [market.data, slug]);
  if (row) return { row, missing: null };
  if (market.data) return { row: null, missing: "unlisted" };
  return { row: null, missing: market.refusal === null ? "waiting" : "refused" };
}

function findBySlug(rows: Iterable<Collection>, slug: string): Collection | null {
  for (const row of rows) if (row.groupSlug === slug) return row;
  return null;
}
