import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { sats } from "./wire";

const fundingCoin = v.object({ fundingSats: v.nullable(sats), isThere: v.boolean() });

/** A new coin counts once it is confirmed. */
const AGAIN_MS = 20_000;

/**
 * The one coin that the user's own offer against BRC-20 needs, and whether the lender has it; no amount where
 * any coins do.
 */
export function fundingCoinQuery(offerId: string) {
  return queryOptions({
    queryKey: ["funding-coin", offerId],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/me/funds/exact/{offer_id}", fundingCoin, {
        path: { offer_id: offerId },
        signal,
      }),
    refetchInterval: AGAIN_MS,
  });
}
