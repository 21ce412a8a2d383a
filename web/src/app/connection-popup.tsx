import { Popover } from "@base-ui/react/popover";
import { useFeedStore } from "@/shared/feed/feed-store";
import { type FeedStatus, useFeedStatus } from "@/shared/feed/use-feed";
import { formatAge } from "@/shared/format/age";
import { useNow } from "@/shared/ui/use-now";
import { CONNECTION_CLASS, ConnectionLabel } from "./connection-state";

const EXPLANATION: Record<FeedStatus, string> = {
  live: "Prices and offers on this screen update live.",
  "catching up": "The connection is back. Loading the latest prices and offers.",
  offline: "The live connection is lost. Reconnecting; until then, data is refreshed every 30 seconds.",
};

/** The connection dot with its explanation. */
export function ConnectionPopup({ defaultOpen }: { defaultOpen?: boolean }) {
  const status = useFeedStatus();
  return (
    <Popover.Root defaultOpen={defaultOpen}>
      <Popover.Trigger data-testid="connection" data-status={status} className={CONNECTION_CLASS}>
        <ConnectionLabel />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-50">
          <Popover.Popup className="flex w-72 flex-col gap-2 rounded-card border border-line bg-surface px-4 py-3 text-sm text-soft shadow-float outline-none">
            <Popover.Title className="sr-only">Connection</Popover.Title>
            <p>{EXPLANATION[status]}</p>
            <LastMessage />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function LastMessage() {
  const lastMessageAt = useFeedStore((state) => state.lastMessageAt);
  const now = useNow(1_000);
  return (
    <p className="text-xs text-muted">
      {lastMessageAt === null ? "No data received yet." : `Last update ${formatAge(lastMessageAt, now)} ago.`}
    </p>
  );
}
