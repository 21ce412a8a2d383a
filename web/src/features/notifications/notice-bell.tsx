import { Bell } from "lucide-react";
import type { Notice } from "@/shared/api/notice";
import { useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { lazyPopup } from "@/shared/ui/lazy-popup";
import { useReadNotices } from "./read-notices";

export interface BellProps {
  notices: readonly Notice[];
  unread: number;
  /** Marks all shown notices as read. */
  onRead: () => void;
}

const NONE: readonly Notice[] = [];

/** The user's recent notices, and the number of unread ones. Renders nothing while signed out. */
export function NoticeBell() {
  const userId = useSession((state) => state.session?.userId);
  const isRestoring = useSession((state) => state.isRestoring);
  if (userId !== undefined) return <OwnBell key={userId} userId={userId} />;
  // Reserves its space while a session is being restored.
  return isRestoring ? <span className="size-10 shrink-0" /> : null;
}

function OwnBell({ userId }: { userId: string }) {
  const notices = useMe().data?.notices ?? NONE;
  const { unread, read } = useReadNotices(userId, notices);
  return <BellPopup notices={notices} unread={unread} onRead={read} />;
}

const BellPopup = lazyPopup<BellProps>(
  "dialog",
  () => import("./notice-popup").then((module) => module.NoticePopup),
  ({ trigger, ...props }) => (
    <button type="button" {...trigger} aria-label={bellLabel(props)} className={BELL_CLASS}>
      <BellIcon {...props} />
    </button>
  ),
);

export const BELL_CLASS = classNames(buttonClass({ variant: "quiet" }), "relative size-10 px-0!");

export function bellLabel({ unread }: Pick<BellProps, "unread">): string {
  return unread > 0 ? `Notices, ${unread} unread` : "Notices";
}

const SHOWN_MAX = 9;

export function BellIcon({ unread }: Pick<BellProps, "unread">) {
  return (
    <>
      <Bell size={18} aria-hidden />
      {unread > 0 && (
        <span
          aria-hidden
          className="absolute top-1 right-1 flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-[10px] leading-none text-on-accent"
        >
          {unread > SHOWN_MAX ? `${SHOWN_MAX}+` : unread}
        </span>
      )}
    </>
  );
}
