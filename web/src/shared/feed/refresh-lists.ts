import type { QueryClient } from "@tanstack/react-query";
import type { FeedClient } from "./feed-client";

/** Refreshes every list, as a reload of the page does: by fresh snapshots of the feed, and by refetching. */
export function refreshLists(feed: FeedClient, queries: QueryClient): Promise<void> {
  feed.retryAll();
  return queries.invalidateQueries();
}
