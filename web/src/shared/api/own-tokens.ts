import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { lenientArray, text } from "./wire";

const NON_ZERO = /[1-9]/;

const ownTokens = v.object({
  brc20: lenientArray(v.object({ ticker: text, overallBalance: text })),
});
/** The user's balances of the BRC-20 tokens that the market accepts. */
export type OwnTokens = v.InferOutput<typeof ownTokens>;

export function ownTokensQuery(userId: string) {
  return queryOptions({
    queryKey: ["brc20-collateral", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/brc20/collateral", ownTokens, { signal }),
  });
}

/** The tickers of which the user holds a balance, in lower case. */
export function heldTickers({ brc20 }: OwnTokens): ReadonlySet<string> {
  return new Set(brc20.filter((token) => NON_ZERO.test(token.overallBalance)).map(({ ticker }) => ticker));
}
