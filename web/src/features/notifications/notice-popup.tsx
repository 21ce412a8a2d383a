import { Popover } from "@base-ui/react/popover";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import type { Notice } from "@/shared/api/notice";
import { useMarket } from "@/shared/feed/use-feed";
import { formatAge, formatMoment } from "@/shared/format/age";
import { classNames } from "@/shared/ui/class-names";
import { useNow } from "@/shared/ui/use-now";
import { BELL_CLASS, BellIcon, type BellProps, bellLabel } from "./notice-bell";
import { collectionAddress, isForUser, isUrgent, noticeAddress, noticeText } from "./notice-text";

const MINUTE_MS = 60_000;

/** The bell with its list of notices. */
export function NoticePopup({ defaultOpen = false, ...props }: BellProps & { defaultOpen?: boolean }) {
  const { notices, unread, onRead } = props;
  const [isOpen, setIsOpen] = useState(defaultOpen);
  // A notice that arrives while the list is open is read too.
  useEffect(() => {
    if (isOpen && unread > 0) onRead();
  }, [isOpen, unread, onRead]);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger aria-label={bellLabel(props)} className={BELL_CLASS}>
        <BellIcon {...props} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={8} align="end" collisionPadding={12} className="z-50">
          <Popover.Popup className="flex max-h-[min(480px,var(--available-height))] w-[min(360px,calc(100vw-24px))] flex-col rounded-card border border-line bg-surface text-text shadow-float outline-none">
            <Popover.Title className="border-b border-line px-4 py-3 text-sm font-strong">
              Notices
            </Popover.Title>
            {notices.length === 0 ? (
              <p className="px-4 py-8 text-center text-sm text-muted">
                Nothing yet. You are notified here when an offer is accepted, a signature is needed, or a loan
                is due or has ended.
              </p>
            ) : (
              <NoticeList notices={notices} onClose={() => setIsOpen(false)} />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function NoticeList({ notices, onClose }: { notices: readonly Notice[]; onClose: () => void }) {
  const now = useNow(MINUTE_MS);
  const newestFirst = [...notices].sort((a, b) => b.at - a.at);
  return (
    <ul className="flex-1 overflow-y-auto py-1">
      {newestFirst.map((notice) => (
        <li key={notice.id}>
          {notice.kind === "offer_taken" || isForUser(notice) ? (
            <CollectionLink notice={notice} now={now} onClose={onClose} />
          ) : (
            <NoticeLink to={noticeAddress(notice)} notice={notice} now={now} onClose={onClose} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface NoticeLinkProps {
  notice: Notice;
  now: number;
  onClose: () => void;
}

/** A link to the collection that the notice names, as found in the market. */
function CollectionLink(props: NoticeLinkProps) {
  const market = useMarket().data;
  return <NoticeLink to={collectionAddress(props.notice, market?.values() ?? [])} {...props} />;
}

function NoticeLink({ to, notice, now, onClose }: NoticeLinkProps & { to: string }) {
  return (
    <Link
      to={to}
      onClick={onClose}
      className="flex items-baseline gap-3 px-4 py-2 text-sm -outline-offset-2 transition-colors hover:bg-raised"
    >
      <span
        aria-hidden
        className={classNames(
          "size-1.5 shrink-0 -translate-y-0.5 rounded-full",
          isUrgent(notice) ? "bg-warn" : "bg-line-strong",
        )}
      />
      <span className="min-w-0 flex-1">
        <span className="block">{noticeText(notice)}</span>
        <span className="block truncate text-xs text-muted">{notice.collectionName}</span>
      </span>
      <time
        dateTime={new Date(notice.at).toISOString()}
        title={formatMoment(notice.at)}
        className="shrink-0 text-xs text-muted"
      >
        {formatAge(notice.at, now)}
      </time>
    </Link>
  );
}
