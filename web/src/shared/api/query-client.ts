import { QueryClient } from "@tanstack/react-query";
import { RequestProblem } from "./problem";

const RETRIES_MAX = 2;

/** Refusals are final; only a lost connection or an overloaded server is worth asking again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) =>
          failures < RETRIES_MAX &&
          (!(error instanceof RequestProblem) || error.status === 0 || error.status >= 500),
      },
    },
  });
}
