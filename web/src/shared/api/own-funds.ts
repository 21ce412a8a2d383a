import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "./request";
import { sats } from "./wire";

/** What arrives in the wallet is seen within this time. */
const RENEWED_MS = 20_000;

const ownFunds = v.object({ freeSats: sats });

/** What the person can lend from their own payment address, as the chain has it. */
export function ownFundsQuery(userId: string) {
  return queryOptions({
    queryKey: ["own-funds", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/funds", ownFunds, { signal }),
    staleTime: 0,
    refetchInterval: RENEWED_MS,
  });
}
