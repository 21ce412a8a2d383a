import { useMemo } from "react";
import { useMarket, useRequests } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { useNow } from "@/shared/ui/use-now";
import type { RequestLine } from "./request-list";
import { ownLines } from "./requests-view";

const MINUTE_MS = 60_000;

/** The user's own requests that have not expired; none while they or the market are loading. */
export function useOwnRequests(): RequestLine[] {
  const requests = useRequests().data;
  const market = useMarket().data;
  const userId = useSession((state) => state.session?.userId ?? null);
  const now = useNow(MINUTE_MS);
  return useMemo(
    () => (requests && market ? ownLines(requests.values(), market, userId, now) : []),
    [requests, market, userId, now],
  );
}
