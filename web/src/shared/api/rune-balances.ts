import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { lenientArray, rawAmount, text } from "./wire";

const runeBalances = v.object({
  provider: text,
  runes: lenientArray(v.object({ runeId: text, raw: rawAmount })),
});

/**
 * The user's rune balances as another indexer reports them: for display only, not proof of what can be
 * pledged.
 */
export type RuneBalances = v.InferOutput<typeof runeBalances>;

export function runeBalancesQuery(userId: string) {
  return queryOptions({
    queryKey: ["rune-balances", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/rune-balances", runeBalances, { signal }),
  });
}
