import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { count } from "./wire";

/** A price for display only: sats for a whole unit. */
const price = v.pipe(v.number(), v.finite(), v.minValue(0));

const priceHold = v.variant("reason", [
  v.object({ reason: v.literal("noSource") }),
  v.object({ reason: v.literal("tooFewSources"), found: count, needed: count }),
  v.object({ reason: v.literal("disagreement"), low: price, high: price }),
  v.object({ reason: v.literal("jump"), to: price, rounds: count, roundsNeeded: count }),
]);
/** The reason why a price is held although marketplaces were queried. */
export type PriceHold = v.InferOutput<typeof priceHold>;

const priceSource = v.object({
  hold: v.nullish(priceHold, null),
  isOneSource: v.optional(v.boolean(), false),
  believesOneSource: v.optional(v.boolean(), false),
});
/** The source of a price, as far as the user sees it. */
export type PriceSource = v.InferOutput<typeof priceSource>;

/** The server queries the marketplaces about every minute. */
const AGAIN_MS = 30_000;

/** The source of a collection's price, by its group. */
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
