import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { useMe } from "@/shared/feed/use-feed";

/** Query key of everything about loans, to be refetched when one has changed. */
export const LOANS = ["loans"];

/** Returns a function that refetches every list of loans, for use after an own action. */
export function useLoanRefresh(): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.invalidateQueries({ queryKey: LOANS }), [queries]);
}

/** Refetches the lists of loans on feed updates while the component is mounted. */
export function useLiveLoans(): void {
  const loans = useMe().data?.loans;
  const refreshLoans = useLoanRefresh();
  // A new map means a changed loan, or a new snapshot after a lost connection.
  useEffect(() => {
    if (loans) refreshLoans();
  }, [loans, refreshLoans]);
}
