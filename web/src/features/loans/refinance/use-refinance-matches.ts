import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useMe } from "@/shared/feed/use-feed";
import { latestMatchNotice, type RefinanceMatch, refinanceMatchesQuery } from "./refinance-match";

/** Refetch interval: offers come and go, and the server says nothing when one is gone. */
const RENEWED_MS = 60_000;

const NONE: ReadonlyMap<string, RefinanceMatch> = new Map();

/**
 * The matches of the user's running loans by the loan's id, kept up to date while the component is mounted.
 * Empty until they are known: a list of loans does not wait for them.
 */
export function useRefinanceMatches(userId: string, canBeAny: boolean): ReadonlyMap<string, RefinanceMatch> {
  const { data } = useQuery({
    ...refinanceMatchesQuery(userId),
    enabled: canBeAny,
    refetchInterval: RENEWED_MS,
  });
  const noticeId = latestMatchNotice(useMe().data?.notices ?? []);
  const queries = useQueryClient();
  useEffect(() => {
    if (noticeId === null) return;
    const { queryKey } = refinanceMatchesQuery(userId);
    // A request that is under way is not repeated.
    void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
  }, [noticeId, queries, userId]);
  return data ?? NONE;
}
