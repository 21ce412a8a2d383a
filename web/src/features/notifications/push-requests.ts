import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { type NoticeKind, noticeKind } from "@/shared/api/notice";
import { request } from "@/shared/api/request";
import { count, timeMs } from "@/shared/api/wire";

const TEXT_MAX = 2_000;
const longText = v.pipe(v.string(), v.maxLength(TEXT_MAX));

const subscription = v.object({
  pushId: longText,
  /** URL at the push service, by which a browser recognizes its own. */
  endpoint: longText,
  /** The user agent of the browser; empty without one. */
  agent: longText,
  kinds: v.array(noticeKind),
  addedAt: timeMs,
});
const subscriptions = v.object({
  isAvailable: v.boolean(),
  /** Key to subscribe with, in base64url; null where the server sends to no browsers. */
  publicKey: v.nullable(longText),
  max: count,
  subscriptions: v.array(subscription),
});
/** A subscribed browser. */
export type Subscription = v.InferOutput<typeof subscription>;

/** Address and keys of this browser, in base64url. */
export interface BrowserKeys {
  endpoint: string;
  p256dh: string;
  auth: string;
}

export function pushQuery(userId: string) {
  return queryOptions({
    queryKey: ["push-subscriptions", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/push-subscriptions", subscriptions, { signal }),
  });
}

export async function addBrowser(browser: BrowserKeys, kinds: readonly NoticeKind[]): Promise<void> {
  const body = { ...browser, kinds: [...kinds] };
  await request("POST", "/api/v1/me/push-subscriptions", subscription, { body });
}

export async function setBrowserKinds(pushId: string, kinds: readonly NoticeKind[]): Promise<void> {
  const path = { push_id: pushId };
  await request("PUT", "/api/v1/me/push-subscriptions/{push_id}", subscription, {
    path,
    body: { kinds: [...kinds] },
  });
}

export async function removeBrowser(pushId: string): Promise<void> {
  await request("DELETE", "/api/v1/me/push-subscriptions/{push_id}", v.null(), { path: { push_id: pushId } });
}
