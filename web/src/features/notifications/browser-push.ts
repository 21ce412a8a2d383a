import type { BrowserKeys } from "./push-requests";

const WORKER = "/sw.js";

/** The parts of the browser that push needs; null for each that it lacks. */
export interface BrowserParts {
  workers: Pick<ServiceWorkerContainer, "getRegistration" | "register"> | null;
  notification: Pick<typeof Notification, "permission" | "requestPermission"> | null;
  hasPush: boolean;
}

export function browserParts(): BrowserParts {
  return {
    workers: navigator.serviceWorker ?? null,
    notification: "Notification" in window ? Notification : null,
    hasPush: "PushManager" in window,
  };
}

/** State of push in this browser, whichever account it notifies. */
export type BrowserState =
  | { name: "unsupported" }
  /** The user refused, and only the browser's own settings change that. */
  | { name: "denied" }
  | { name: "off" }
  /** `key` is the server's key that it subscribed with, in base64url; null if the browser does not show it. */
  | { name: "subscribed"; endpoint: string; key: string | null };

export async function readBrowser({ workers, notification, hasPush }: BrowserParts): Promise<BrowserState> {
  if (!workers || !notification || !hasPush) return { name: "unsupported" };
  if (notification.permission === "denied") return { name: "denied" };
  const registration = await workers.getRegistration(WORKER);
  const found = await registration?.pushManager.getSubscription();
  if (!found || notification.permission !== "granted") return { name: "off" };
  const key = found.options.applicationServerKey;
  return { name: "subscribed", endpoint: found.endpoint, key: key && toBase64Url(new Uint8Array(key)) };
}

/**
 * Asks for the permission, installs the service worker and subscribes with the server's key. A subscription with
 * another key is replaced: its push service would refuse messages.
 */
export async function subscribeBrowser(
  { workers, notification, hasPush }: BrowserParts,
  publicKey: string,
): Promise<BrowserKeys> {
  if (!workers || !notification || !hasPush) throw new Error("This browser has no push messages");
  if ((await notification.requestPermission()) !== "granted") {
    throw new Error("Notifications were not allowed");
  }
  const registration = await activated(await workers.register(WORKER));
  const before = await registration.pushManager.getSubscription();
  const key = before?.options.applicationServerKey;
  if (before && key && toBase64Url(new Uint8Array(key)) !== publicKey) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
  if (!endpoint || !keys?.p256dh || !keys.auth) throw new Error("The browser gave no keys for push messages");
  return { endpoint, p256dh: keys.p256dh, auth: keys.auth };
}

/** Ends the subscription of this browser, for every account. */
export async function unsubscribeBrowser({ workers }: BrowserParts): Promise<void> {
  const registration = await workers?.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** A subscription needs an active worker, which a new one is only after its installation. */
async function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return registration;
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("The service worker could not be installed"));
    });
  });
  return registration;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
