import type { NotificationPreferences } from "@/shared/session/session-store";

/**
 * Whether the prompt is needed: alerts must be on, and a verified address or a chat must be known to receive
 * them, or a browser.
 */
export function needsCriticalNotifications(preferences: NotificationPreferences): boolean {
  if (preferences.isBrowserNotified) return false;
  if (!preferences.criticalAlerts) return true;
  const hasEmail = preferences.email !== null && preferences.isEmailVerified;
  return !hasEmail && preferences.telegramChatId === null;
}

const SNOOZE_DAYS = 7;
const DAY_MS = 86_400_000;

/** Whether the prompt rests: for a week after `later`. */
export function isSnoozed(dismissedAt: string | null, nowMs: number): boolean {
  const then = Number(dismissedAt ?? Number.NaN);
  return Number.isFinite(then) && nowMs >= then && nowMs - then < SNOOZE_DAYS * DAY_MS;
}
