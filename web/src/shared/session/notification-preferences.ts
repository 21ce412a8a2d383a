import * as v from "valibot";
import { request } from "@/shared/api/request";
import { text } from "@/shared/api/wire";
import { type NotificationPreferences, useSession } from "./session-store";

export const notificationPreferences = v.object({
  criticalAlerts: v.boolean(),
  email: v.nullable(text),
  isEmailVerified: v.boolean(),
  telegramChatId: v.nullable(v.number()),
  isBrowserNotified: v.boolean(),
});

/** Fetches the user's current preferences for urgent notifications. */
async function fetchPreferences(): Promise<NotificationPreferences> {
  const answer = await request("GET", "/api/v1/session", v.object({ notificationPreferences }));
  return answer.notificationPreferences;
}

/** Reloads the user's notification preferences. Without a response the session keeps its old ones. */
export async function renewPreferences(): Promise<void> {
  const before = useSession.getState().session;
  if (!before) return;
  const preferences = await fetchPreferences().catch(() => before.notificationPreferences);
  const { session, setSession } = useSession.getState();
  if (session?.userId === before.userId) setSession({ ...session, notificationPreferences: preferences });
}
