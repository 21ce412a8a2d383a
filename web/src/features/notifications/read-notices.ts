import { useCallback, useState } from "react";
import type { Notice } from "@/shared/api/notice";

const KEY = "lienbook.notices-read";

/** The number of notices after a time. */
export function unreadOf(notices: readonly Notice[], readUntilMs: number): number {
  return notices.filter(({ at }) => at > readUntilMs).length;
}

/** The time up to which the user has read, stored in this browser. */
export function useReadNotices(
  userId: string,
  notices: readonly Notice[],
): { unread: number; read: () => void } {
  const key = `${KEY}.${userId}`;
  const [untilMs, setUntilMs] = useState(() => Number(localStorage.getItem(key)) || 0);
  const read = useCallback(() => {
    const latest = notices.reduce((max, { at }) => Math.max(max, at), 0);
    localStorage.setItem(key, String(latest));
    setUntilMs(latest);
  }, [key, notices]);
  return { unread: unreadOf(notices, untilMs), read };
}
