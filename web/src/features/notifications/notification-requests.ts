import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { type NoticeKind, noticeKind } from "@/shared/api/notice";
import { request } from "@/shared/api/request";
import { text, timeMs } from "@/shared/api/wire";

const notifications = v.object({
  email: v.object({
    isAvailable: v.boolean(),
    address: v.nullable(text),
    isVerified: v.boolean(),
    /** Set while it is not verified. */
    verifyUntil: v.nullable(timeMs),
    /** Time since which its mail server rejects it permanently; null while it does not. */
    refusedAt: v.nullable(timeMs),
  }),
  telegram: v.object({
    isAvailable: v.boolean(),
    isLinked: v.boolean(),
    /** Null until Telegram has returned it. */
    botName: v.nullable(text),
  }),
  criticalAlerts: v.boolean(),
  choices: v.array(v.object({ kind: noticeKind, isCritical: v.boolean(), isChosen: v.boolean() })),
});
/** The user's notification channels, and the events to notify. */
export type Notifications = v.InferOutput<typeof notifications>;

/** Poll interval: a mail is opened and a chat started elsewhere. */
const WAITING_MS = 4_000;

export function notificationsQuery(userId: string) {
  return queryOptions({
    queryKey: ["notifications", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/notifications", notifications, { signal }),
    refetchInterval: ({ state }) => (state.data && isWaiting(state.data) ? WAITING_MS : false),
  });
}

/** Whether a channel delivers notifications outside of the app. */
export function isReached({ email, telegram }: Pick<Notifications, "email" | "telegram">): boolean {
  return (email.isVerified && email.refusedAt === null) || telegram.isLinked;
}

/** Whether the next step is the user's, in another window. */
export function isWaiting({ email, telegram }: Notifications): boolean {
  const waitsForMail = email.address !== null && !email.isVerified && email.refusedAt === null;
  return waitsForMail || (telegram.isAvailable && !telegram.isLinked);
}

export function saveChoices(criticalAlerts: boolean, kinds: readonly NoticeKind[]): Promise<Notifications> {
  const body = { criticalAlerts, kinds: [...kinds] };
  return request("PUT", "/api/v1/me/notifications", notifications, { body });
}

/** Saves an address, to which the server sends a link. */
export function saveEmail(email: string): Promise<Notifications> {
  return request("POST", "/api/v1/me/notifications/email", notifications, { body: { email } });
}

export function removeEmail(): Promise<Notifications> {
  return request("DELETE", "/api/v1/me/notifications/email", notifications);
}

function isPage(text: string): boolean {
  return URL.canParse(text) && ["https:", location.protocol].includes(new URL(text).protocol);
}

const telegramLink = v.object({
  /** A page of Telegram, or of the demo's double of it. */
  url: v.pipe(v.string(), v.maxLength(200), v.check(isPage)),
  expiresAt: timeMs,
});
export type TelegramLink = v.InferOutput<typeof telegramLink>;

export function linkTelegram(): Promise<TelegramLink> {
  return request("POST", "/api/v1/me/notifications/telegram", telegramLink);
}

export function unlinkTelegram(): Promise<Notifications> {
  return request("DELETE", "/api/v1/me/notifications/telegram", notifications);
}

/** The task of a link in a mail. Neither needs a session: mail is read on other machines. */
export type MailTask = "verify" | "unsubscribe";

const TASK_PATH = {
  verify: "/api/v1/notifications/verification",
  unsubscribe: "/api/v1/notifications/unsubscription",
} as const;

export async function runMailTask(task: MailTask, token: string): Promise<void> {
  await request("POST", TASK_PATH[task], v.null(), { body: { token } });
}
