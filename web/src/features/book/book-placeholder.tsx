import type { ChannelName } from "@/shared/feed/feed-store";
import { useRetry } from "@/shared/feed/use-feed";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";

const LINES = 8;

/** A placeholder for a book that is loading. */
export function BookLoading() {
  return (
    <div role="status" className="flex min-h-96 flex-col px-5 py-4">
      <p className="text-sm text-muted">Fetching</p>
      {Array.from({ length: LINES }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same and never move.
        <div key={index} className="flex h-12 items-center gap-4 border-b border-line">
          <span className="h-3 w-24 animate-shimmer rounded-full bg-raised" />
          <span className="ml-auto h-3 w-1/2 animate-shimmer rounded-full bg-raised" />
        </div>
      ))}
    </div>
  );
}

export function BookError({ channel }: { channel: ChannelName }) {
  const retry = useRetry(channel);
  return (
    <EmptyState title="Failed to fetch offer book data" action={<Button onClick={retry}>Try again</Button>}>
      The order book could not be loaded. Your offers and loans are not affected.
    </EmptyState>
  );
}
