import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { sats } from "./wire";

/** New arrivals in the wallet are visible within this time. */
const RENEWED_MS = 20_000;

const ownFunds = v.object({ freeSats: sats });

/** The amount that the user can lend from their own payment address, as found on the chain. */
export function ownFundsQuery(userId: string) {
  return queryOptions({
    queryKey: ["own-funds", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/funds", ownFunds, { signal }),
    staleTime: 0,
    refetchInterval: RENEWED_MS,
  });
}
