import { useMemo } from "react";
import type { Collection } from "@/shared/api/collection";
import type { Negotiation } from "@/shared/api/negotiation";
import { useMarket, useMe } from "@/shared/feed/use-feed";
import { useNow } from "@/shared/ui/use-now";
import { inOrder, waitingCount } from "./negotiation-view";

const MINUTE_MS = 60_000;

/** The user's negotiations with their collections, those that wait for the user first. */
export function useNegotiations(): ReadonlyArray<{ negotiation: Negotiation; row: Collection }> {
  const me = useMe().data;
  const market = useMarket().data;
  const now = useNow(MINUTE_MS);
  return useMemo(() => {
    if (!me || !market) return [];
    return inOrder(me.negotiations.values(), me, now).flatMap((negotiation) => {
      const row = market.get(negotiation.groupId);
      return row ? [{ negotiation, row }] : [];
    });
  }, [me, market, now]);
}

/** The number of negotiations that wait for the user. */
export function useWaitingNegotiations(): number {
  const me = useMe().data;
  const now = useNow(MINUTE_MS);
  return useMemo(() => (me ? waitingCount(me.negotiations.values(), me, now) : 0), [me, now]);
}
