import type { QueryClient } from "@tanstack/react-query";
import type { FeedClient } from "./feed-client";

/** Brings every list up to date, as a reload of the page does: by fresh snapshots of the feed, and by asking again. */
export function refreshLists(feed: FeedClient, queries: QueryClient): Promise<void> {
  feed.retryAll();
  return queries.invalidateQueries();
}
