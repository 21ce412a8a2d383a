import { useCallback, useState } from "react";
import type { Notice } from "@/shared/api/notice";

const KEY = "lienbook.notices-read";

/** How many came after a moment. */
export function unreadOf(notices: readonly Notice[], readUntilMs: number): number {
  return notices.filter(({ at }) => at > readUntilMs).length;
}

/** Until when a person has read, kept in this browser. */
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
