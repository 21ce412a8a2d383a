import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { CHAIN_KEY } from "@/shared/api/query-client";
import { request } from "@/shared/api/request";
import { count, percent, text, timeMs } from "@/shared/api/wire";

/** Blocks take minutes, so a recommendation is valid for half a minute. */
const FRESH_MS = 30_000;

const chainStatus = v.object({
  network: v.picklist(["bitcoin", "testnet", "testnet4", "signet", "regtest"]),
  height: count,
  blockHash: text,
  /** The last block that the indexer has read; null while it does not respond. */
  indexerHeight: v.nullable(count),
  medianTime: timeMs,
  /** Sats per virtual byte. */
  feeRates: v.object({ fast: percent, halfHour: percent, hour: percent }),
  /** The minimum fee rate of an origination. */
  loanRatesMin: v.object({ instant: percent, manual: percent }),
});
/** The status of the chain: tip, indexer and fee rates. */
export type ChainStatus = v.InferOutput<typeof chainStatus>;

export const chainQuery = queryOptions({
  queryKey: CHAIN_KEY,
  queryFn: ({ signal }) => request("GET", "/api/v1/chain", chainStatus, { signal }),
  staleTime: FRESH_MS,
  refetchInterval: FRESH_MS,
  // No polling while the page is hidden.
  refetchOnWindowFocus: true,
});
