import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { Collection } from "./collection";
import { request } from "./request";
import { percent, timeMs } from "./wire";

export const PRICE_RANGES = ["24h", "7d", "30d", "90d"] as const;
export type PriceRange = (typeof PRICE_RANGES)[number];

export const RANGE_LABEL: Record<PriceRange, string> = {
  "24h": "24H",
  "7d": "7D",
  "30d": "30D",
  "90d": "90D",
};

/** The distance between two prices of a range, as the server stores them. */
export const RANGE_STEP: Record<PriceRange, string> = {
  "24h": "10 minutes",
  "7d": "2 hours",
  "30d": "8 hours",
  "90d": "24 hours",
};

/** A price for display only: sats for an inscription, sats and their fractions for a token. */
const price = v.pipe(v.number(), v.finite(), v.minValue(0));

const priceHistory = v.object({
  data: v.array(v.object({ date: timeMs, price })),
  priceChange: v.nullable(percent),
});
/** A chart: prices from the oldest to the newest, and their change over the whole range. */
export type PriceHistory = v.InferOutput<typeof priceHistory>;
export type PricePoint = PriceHistory["data"][number];

/** One minute is a tenth of a step of the shortest range. */
const STALE_MS = 60_000;

export function priceHistoryQuery(row: Pick<Collection, "id">, range: PriceRange) {
  return queryOptions({
    queryKey: ["price-history", row.id, range],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/collections/{name}/price-history", priceHistory, {
        path: { name: row.id },
        query: { range },
        signal,
      }),
    staleTime: STALE_MS,
  });
}
