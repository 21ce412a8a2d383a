import { type BrowserContext, expect, type Page, type Worker } from "@playwright/test";
import { wholeBrowser } from "../playwright.config";
import { openAs } from "./browser-session";
import { expectAccessible } from "./market-steps";
import { test } from "./market-test";

test.use({ launchOptions: wholeBrowser });

/** Replaces the push service of the browser's maker, which is not reachable in tests. */
function withPushService(context: BrowserContext) {
  return context.addInitScript(() => {
    const encode = (bytes: ArrayBuffer) =>
      btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
    let current: object | null = null;
    PushManager.prototype.getSubscription = async () => current as PushSubscription | null;
    PushManager.prototype.subscribe = async (options) => {
      const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
        "deriveBits",
      ]);
      const p256dh = encode(await crypto.subtle.exportKey("raw", pair.publicKey));
      const auth = encode(crypto.getRandomValues(new Uint8Array(16)).buffer);
      const endpoint = `https://push.example.org/${auth}`;
      const key = String(options?.applicationServerKey).replaceAll("-", "+").replaceAll("_", "/");
      const applicationServerKey = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0)).buffer;
      current = {
        endpoint,
        options: { applicationServerKey },
        toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
        unsubscribe: async () => {
          current = null;
          return true;
        },
      };
      return current as PushSubscription;
    };
  });
}

const section = (page: Page) => page.getByRole("region", { name: "Browsers" });

test("a browser is switched on, chooses its events, and is switched off", async ({ page, context }) => {
  await context.grantPermissions(["notifications"]);
  await withPushService(context);
  await openAs(page, "/settings/notifications", "Lender 1");
  await section(page).getByRole("button", { name: "Turn on" }).click();
  await expect(section(page).getByText("On", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await section(page).getByRole("button", { name: "Events of this browser" }).click();
  const dialog = page.getByRole("dialog", { name: "Events of the browser" });
  await dialog.getByRole("button", { name: "Choose all" }).click();
  await dialog.getByRole("button", { name: "Choose none" }).click();
  await dialog.getByRole("checkbox", { name: "A loan is repaid" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(section(page)).toContainText("1 kind of event.");
  await section(page).getByRole("button", { name: "Turn off" }).click();
  await expect(section(page).getByText("Off", { exact: true })).toBeVisible();
});

/** Has the service worker get a push message, as from the push service. */
async function push(page: Page, text: string) {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ isDeleted }) => !isDeleted);
      if (own) resolve(own.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const origin = new URL(page.url()).origin;
  await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: text });
  await session.detach();
}

/** The parts of the worker that are used here: the types of the tests are those of a page. */
interface PushScope {
  registration: ServiceWorkerRegistration;
  dispatchEvent(event: Event): boolean;
  NotificationEvent: new (type: string, options: { notification: Notification }) => Event;
}

const shown = (worker: Worker) =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as PushScope;
    const list = await registration.getNotifications();
    return list.map(({ title, body, tag }) => ({ title, body, tag }));
  });

/**
 * Has the worker get a message until these are all that is shown. A message that the browser does not pass on is sent again:
 * what is tested is the worker, and one that is shown twice replaces itself.
 */
async function pushUntilShown(page: Page, worker: Worker, text: string, expected: object[]) {
  await expect(async () => {
    await push(page, text);
    await expect.poll(() => shown(worker), { timeout: 3_000 }).toEqual(expected);
  }).toPass({ timeout: 30_000 });
}

/** Presses the notification with a tag. */
const press = (worker: Worker, tag: string) =>
  worker.evaluate(async (wanted) => {
    const scope = self as unknown as PushScope;
    const [notification] = await scope.registration.getNotifications({ tag: wanted });
    if (notification) scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
  }, tag);

test("a message is shown, its press opens the page in the open tab, and no network is said", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["notifications"]);
  await page.goto("/guide");
  const started = context.waitForEvent("serviceworker");
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/sw.js");
    await navigator.serviceWorker.ready;
  });
  const worker = await started;
  const url = "https://elsewhere.example/portfolio?tab=loans";
  const overdue = { id: "ln_1-overdue", title: "Overdue", url };
  await pushUntilShown(page, worker, JSON.stringify({ ...overdue, body: "Repay." }), [
    { title: "Overdue", body: "Repay.", tag: "ln_1-overdue" },
  ]);
  await pushUntilShown(page, worker, JSON.stringify({ ...overdue, body: "Repay now." }), [
    { title: "Overdue", body: "Repay now.", tag: "ln_1-overdue" },
  ]);
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await press(worker, "ln_1-overdue");
  await expect(page).toHaveURL(/\/portfolio\?tab=loans$/);
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
  expect(await shown(worker)).toEqual([]);
  await pushUntilShown(page, worker, "not JSON", [
    { title: "Lienbook", body: "Open Lienbook to see what happened.", tag: "unread" },
  ]);

  await context.setOffline(true);
  await page.goto("/borrow/ordinals");
  await expect(page.getByText("Figures would be old, so none are shown.")).toBeVisible();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map((request) => new URL(request.url).pathname);
  });
  expect(kept.sort()).toEqual(["/favicon.svg", "/offline.css", "/offline.html"]);
  await context.setOffline(false);
  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByText("Figures would be old")).toHaveCount(0);
});
