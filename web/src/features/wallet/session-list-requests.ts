import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "@/shared/api/request";
import { text, timeMs } from "@/shared/api/wire";

const sessionList = v.object({
  sessions: v.array(
    v.object({
      sessionId: text,
      /** The user agent of the client; empty without one. */
      agent: text,
      openedAt: timeMs,
      usedAt: timeMs,
      endsAt: timeMs,
      isCurrent: v.boolean(),
    }),
  ),
});
export type OwnSession = v.InferOutput<typeof sessionList>["sessions"][number];

/** The user's sessions, this browser first and then by latest use. */
export function sessionsQuery(userId: string) {
  return queryOptions({
    queryKey: ["sessions", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/sessions", sessionList, { signal }),
    select: ({ sessions }) =>
      sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.usedAt - a.usedAt),
  });
}

export async function endSession(sessionId: string): Promise<void> {
  await request("DELETE", "/api/v1/sessions/{session_id}", v.null(), { path: { session_id: sessionId } });
}
