import { useFeedStore } from "@/shared/feed/feed-store";
import { type FeedStatus, useFeedStatus } from "@/shared/feed/use-feed";
import { formatAge } from "@/shared/format/age";
import { classNames } from "@/shared/ui/class-names";
import { Hint } from "@/shared/ui/hint";
import { useNow } from "@/shared/ui/use-now";

const LABEL: Record<FeedStatus, string> = {
  live: "Live",
  "catching up": "Catching up",
  offline: "Offline",
};

const EXPLANATION: Record<FeedStatus, string> = {
  live: "Prices and offers on this screen change the moment they change on the server.",
  "catching up": "The connection is back; the latest state is on its way.",
  offline:
    "The live connection is lost and is being tried again. Meanwhile data is asked for every 30 seconds.",
};

const DOT: Record<FeedStatus, string> = {
  live: "bg-up",
  "catching up": "bg-warn animate-breathe",
  offline: "bg-down",
};

/** A dot that says how fresh the screen is. */
export function ConnectionState() {
  const status = useFeedStatus();
  return (
    <Hint text={EXPLANATION[status]}>
      <button
        type="button"
        data-testid="connection"
        data-status={status}
        className="flex h-10 cursor-default items-center gap-2 rounded-control px-2 text-xs whitespace-nowrap text-muted"
      >
        <span aria-hidden className={classNames("size-2 rounded-full", DOT[status])} />
        <span role="status" className={status === "live" ? "max-md:sr-only" : "max-sm:sr-only"}>
          {LABEL[status]}
        </span>
        {status === "offline" && <DataAge />}
      </button>
    </Hint>
  );
}

function DataAge() {
  const heardAt = useFeedStore((state) => state.heardAt);
  const now = useNow(1_000);
  return heardAt === null ? null : <span>{formatAge(heardAt, now)} old</span>;
}
