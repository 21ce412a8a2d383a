import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { type NoticeKind, noticeKind } from "@/shared/api/notice";
import { request } from "@/shared/api/request";
import { count, text, timeMs } from "@/shared/api/wire";

/** Longest URL and longest part of an answer, with room for the characters that the server replaces. */
const LONG_TEXT_MAX = 2_000;
const longText = v.pipe(v.string(), v.maxLength(LONG_TEXT_MAX));

const webhook = v.object({
  webhookId: text,
  url: longText,
  kinds: v.array(noticeKind),
  createdAt: timeMs,
  /** Null while events are sent to it. */
  pausedAt: v.nullable(timeMs),
  pauseReason: v.nullable(v.picklist(["by_user", "failing", "gone"])),
  /** Set while requests are also signed by the secret before. */
  previousSecretUntil: v.nullable(timeMs),
});
const webhooks = v.object({ isAvailable: v.boolean(), max: count, webhooks: v.array(webhook) });
const withSecret = v.object({ secret: text, webhook });

const delivery = v.object({
  deliveryId: text,
  eventId: text,
  /** Null for a test event. */
  kind: v.nullable(noticeKind),
  queuedAt: timeMs,
  attempts: count,
  state: v.picklist(["waiting", "in_flight", "delivered", "failed", "dropped"]),
  nextAttemptAt: v.nullable(timeMs),
  lastAttemptAt: v.nullable(timeMs),
  /** HTTP status of the last answer. */
  status: v.nullable(count),
  failure: v.nullable(v.picklist(["address_refused", "unreachable", "timed_out", "no_answer"])),
  durationMs: v.nullable(count),
  /** Beginning of the last answer: text of another server, to be shown as plain text alone. */
  answer: v.nullable(longText),
});
const deliveries = v.object({ deliveries: v.array(delivery) });
const queued = v.object({ deliveryId: v.nullable(text) });

/** A webhook of the user, without its secret. */
export type Webhook = v.InferOutput<typeof webhook>;
/** A delivery of an event to a webhook. */
export type Delivery = v.InferOutput<typeof delivery>;

/** Poll interval while a delivery waits or is in progress. */
const WAITING_MS = 2_000;

export function webhooksQuery(userId: string) {
  return queryOptions({
    queryKey: ["webhooks", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/webhooks", webhooks, { signal }),
  });
}

/** The latest deliveries to a webhook, the newest first. */
export function deliveriesQuery(webhookId: string) {
  return queryOptions({
    queryKey: ["webhook-deliveries", webhookId],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/me/webhooks/{webhook_id}/deliveries", deliveries, {
        path: { webhook_id: webhookId },
        signal,
      }),
    select: (answer) => answer.deliveries,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(isOpen) ? WAITING_MS : false),
  });
}

function isOpen({ state }: Delivery): boolean {
  return state === "waiting" || state === "in_flight";
}

/** Registers a webhook; resolves to its secret, which the server shows this once. */
export async function registerWebhook(url: string, kinds: readonly NoticeKind[]): Promise<string> {
  const body = { url, kinds: [...kinds] };
  return (await request("POST", "/api/v1/me/webhooks", withSecret, { body })).secret;
}

export async function setWebhook(
  webhookId: string,
  kinds: readonly NoticeKind[],
  isPaused: boolean,
): Promise<void> {
  const body = { kinds: [...kinds], isPaused };
  await request("PUT", "/api/v1/me/webhooks/{webhook_id}", webhook, {
    path: { webhook_id: webhookId },
    body,
  });
}

export async function removeWebhook(webhookId: string): Promise<void> {
  await request("DELETE", "/api/v1/me/webhooks/{webhook_id}", v.null(), { path: { webhook_id: webhookId } });
}

/** Replaces the secret; resolves to the new one. */
export async function rotateSecret(webhookId: string): Promise<string> {
  const path = { webhook_id: webhookId };
  return (await request("POST", "/api/v1/me/webhooks/{webhook_id}/secret", withSecret, { path })).secret;
}

export async function sendTestEvent(webhookId: string): Promise<void> {
  const path = { webhook_id: webhookId };
  await request("POST", "/api/v1/me/webhooks/{webhook_id}/test", queued, { path });
}

export async function redeliver(webhookId: string, deliveryId: string): Promise<void> {
  const path = { webhook_id: webhookId, delivery_id: deliveryId };
  await request("POST", "/api/v1/me/webhooks/{webhook_id}/deliveries/{delivery_id}/redelivery", queued, {
    path,
  });
}

/** Sends the latest events since a time again; resolves to their number. */
export async function replayEvents(webhookId: string, since: number): Promise<number> {
  const answer = await request("POST", "/api/v1/me/webhooks/{webhook_id}/replay", v.object({ count }), {
    path: { webhook_id: webhookId },
    body: { since },
  });
  return answer.count;
}
