import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { CHAIN_KEY } from "@/shared/api/query-client";
import { request } from "@/shared/api/request";
import { count, percent, text, timeMs } from "@/shared/api/wire";

/** Blocks take minutes: what was recommended half a minute ago still is. */
const FRESH_MS = 30_000;

const chainStatus = v.object({
  network: v.picklist(["bitcoin", "testnet", "testnet4", "signet", "regtest"]),
  height: count,
  blockHash: text,
  /** The last block that the indexer has read; null while it gives no answer. */
  indexerHeight: v.nullable(count),
  medianTime: timeMs,
  /** Sats for each virtual byte. */
  feeRates: v.object({ fast: percent, halfHour: percent, hour: percent }),
  /** The least that the beginning of a loan must pay. */
  loanRatesMin: v.object({ instant: percent, manual: percent }),
});
/** Where the chain stands. */
export type ChainStatus = v.InferOutput<typeof chainStatus>;

export const chainQuery = queryOptions({
  queryKey: CHAIN_KEY,
  queryFn: ({ signal }) => request("GET", "/api/v1/chain", chainStatus, { signal }),
  staleTime: FRESH_MS,
  refetchInterval: FRESH_MS,
  // Nobody asks while the page is hidden.
  refetchOnWindowFocus: true,
});
