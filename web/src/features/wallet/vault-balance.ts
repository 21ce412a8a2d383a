import { queryOptions } from "@tanstack/react-query";
import { vault } from "@/shared/api/my-offer";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";

/** The lender's vault; null when none has been made yet. */
export function vaultQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId],
    queryFn: async ({ signal }) => {
      try {
        return await request("GET", "/api/v1/vault", vault, { signal });
      } catch (error) {
        if (error instanceof RequestProblem && error.status === 404) return null;
        throw error;
      }
    },
  });
}
