import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { useMe } from "@/shared/feed/use-feed";
import { LOANS } from "./loan-requests";

/** Asks for every list of loans anew. Returned by the hook, it can be called after an act of one's own. */
export function useLoanNews(): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.invalidateQueries({ queryKey: LOANS }), [queries]);
}

/** Keeps the lists of loans up with the feed while the component is mounted. */
export function useLiveLoans(): void {
  const loans = useMe().data?.loans;
  const retell = useLoanNews();
  // Another map is another loan, or another snapshot after a lost connection.
  useEffect(() => {
    if (loans) retell();
  }, [loans, retell]);
}
