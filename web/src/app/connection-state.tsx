import { useFeedStore } from "@/shared/feed/feed-store";
import { type FeedStatus, useFeedStatus } from "@/shared/feed/use-feed";
import { formatAge } from "@/shared/format/age";
import { classNames } from "@/shared/ui/class-names";
import { lazyPopup } from "@/shared/ui/lazy-popup";
import { useNow } from "@/shared/ui/use-now";

const LABEL: Record<FeedStatus, string> = {
  live: "Live",
  "catching up": "Catching up",
  offline: "Offline",
};

const DOT: Record<FeedStatus, string> = {
  live: "bg-up",
  "catching up": "bg-warn animate-breathe",
  offline: "bg-down",
};

export const CONNECTION_CLASS =
  "flex h-10 items-center gap-2 rounded-control px-2 text-xs whitespace-nowrap text-muted hover:text-text";

/** A dot that shows how fresh the data is, and explains it on a press. */
export const ConnectionState = lazyPopup(
  "dialog",
  () => import("./connection-popup").then((module) => module.ConnectionPopup),
  function ConnectionPlaceholder({ trigger }) {
    const status = useFeedStatus();
    return (
      <button
        type="button"
        {...trigger}
        data-testid="connection"
        data-status={status}
        className={CONNECTION_CLASS}
      >
        <ConnectionLabel />
      </button>
    );
  },
);

export function ConnectionLabel() {
  const status = useFeedStatus();
  return (
    <>
      <span aria-hidden className={classNames("size-2 rounded-full", DOT[status])} />
      <span role="status" className={status === "live" ? "max-md:sr-only" : "max-sm:sr-only"}>
        {LABEL[status]}
      </span>
      {status === "offline" && <DataAge />}
    </>
  );
}

function DataAge() {
  const lastMessageAt = useFeedStore((state) => state.lastMessageAt);
  const now = useNow(1_000);
  // The narrowest phones have no space for it next to the buttons; it is in the popup.
  return lastMessageAt === null ? null : (
    <span className="max-[413px]:sr-only">{formatAge(lastMessageAt, now)} old</span>
  );
}
