import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { count } from "./wire";

/** A price is told here, never paid: sats for a whole unit. */
const price = v.pipe(v.number(), v.finite(), v.minValue(0));

const priceHold = v.variant("reason", [
  v.object({ reason: v.literal("noSource") }),
  v.object({ reason: v.literal("tooFewSources"), found: count, needed: count }),
  v.object({ reason: v.literal("disagreement"), low: price, high: price }),
  v.object({ reason: v.literal("jump"), to: price, rounds: count, roundsNeeded: count }),
]);
/** Why a price stays as it was although marketplaces were asked. */
export type PriceHold = v.InferOutput<typeof priceHold>;

const priceSource = v.object({
  hold: v.nullish(priceHold, null),
  isOneSource: v.optional(v.boolean(), false),
  believesOneSource: v.optional(v.boolean(), false),
});
/** Where a price comes from, as far as a person is told. */
export type PriceSource = v.InferOutput<typeof priceSource>;

/** Marketplaces are asked about every minute. */
const AGAIN_MS = 30_000;

/** Where the price of a collection comes from, by its group. */
export function priceSourceQuery(groupId: string) {
  return queryOptions({
    queryKey: ["price-source", groupId],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/collections/{name}/price-source", priceSource, {
        path: { name: groupId },
        signal,
      }),
    refetchInterval: AGAIN_MS,
  });
}
