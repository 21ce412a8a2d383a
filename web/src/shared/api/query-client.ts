import { QueryCache, QueryClient } from "@tanstack/react-query";
import { RequestProblem } from "./problem";

const RETRIES_MAX = 2;
/** Key of the chain status query. */
export const CHAIN_KEY = ["chain"] as const;

/** Upstream failures: the server has retried them itself and goes on retrying. */
const UPSTREAM_CODES: ReadonlySet<string> = new Set(["node_unavailable", "indexer_unavailable"]);

/**
 * Creates the query client. Refusals are final; only a lost connection or an overloaded server is retried.
 */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // Any query may be the first to find an outage: every page then shows what the market lacks.
      onError: (error, { queryKey }) => {
        const isReported = isOfUpstream(error) && queryKey[0] !== CHAIN_KEY[0];
        // A request that is under way is not cancelled.
        if (isReported) void client.invalidateQueries({ queryKey: CHAIN_KEY }, { cancelRefetch: false });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < RETRIES_MAX && isPassing(error),
      },
    },
  });
  return client;
}

function isPassing(error: Error): boolean {
  if (!(error instanceof RequestProblem)) return true;
  return (error.status === 0 || error.status >= 500) && !isOfUpstream(error);
}

/** Whether the server could not reach its node or its indexer. */
export function isOfUpstream(error: Error): boolean {
  return error instanceof RequestProblem && UPSTREAM_CODES.has(error.code);
}
