import { QueryCache, QueryClient } from "@tanstack/react-query";
import { RequestProblem } from "./problem";

const RETRIES_MAX = 2;
/** The query of where the chain stands. */
export const CHAIN_KEY = ["chain"] as const;

/** Whoever these are about was asked several times by the server, which goes on looking. */
const UPSTREAM_CODES: ReadonlySet<string> = new Set(["node_unavailable", "indexer_unavailable"]);

/** Refusals are final; only a lost connection or an overloaded server is worth asking again. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // Whatever finds it out first: every page says what the market is without.
      onError: (error, { queryKey }) => {
        const isNews = isOfUpstream(error) && queryKey[0] !== CHAIN_KEY[0];
        // An answer that is under way is waited for.
        if (isNews) void client.invalidateQueries({ queryKey: CHAIN_KEY }, { cancelRefetch: false });
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

/** Whether the server could not ask its node or its indexer. */
export function isOfUpstream(error: Error): boolean {
  return error instanceof RequestProblem && UPSTREAM_CODES.has(error.code);
}
