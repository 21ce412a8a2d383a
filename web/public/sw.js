// The service worker: it shows push messages, opens their page, and answers for a page when there is no network. It
// keeps no figure: what it caches is the page that says so. No build step, so that its address never changes.

const OFFLINE_CACHE = "offline-1";
const OFFLINE_PAGE = "/offline.html";
const OFFLINE_FILES = [OFFLINE_PAGE, "/offline.css", "/favicon.svg"];

/** Milliseconds that an open tab has to answer before it is navigated instead. */
const ANSWER_MS = 1_000;

self.addEventListener("install", (event) => {
  const files = OFFLINE_FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(OFFLINE_CACHE).then((cache) => cache.addAll(files)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldCaches().then(() => self.clients.claim()));
});

async function dropOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== OFFLINE_CACHE).map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || request.method !== "GET" || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => offline(OFFLINE_PAGE)));
  } else if (OFFLINE_FILES.includes(pathname)) {
    event.respondWith(fetch(request).catch(() => offline(pathname)));
  }
});

async function offline(file) {
  const cache = await caches.open(OFFLINE_CACHE);
  return (await cache.match(file)) ?? Response.error();
}

self.addEventListener("push", (event) => {
  // Browsers require a notification for every message, also for one that cannot be read.
  const { id, title, body, url } = read(event.data);
  const options = { body, tag: id, icon: "/icon-192.png", data: { page: ownPage(url) } };
  event.waitUntil(self.registration.showNotification(title, options));
});

function read(data) {
  try {
    const { id, title, body, url } = data.json();
    if ([id, title, body, url].every((part) => typeof part === "string")) return { id, title, body, url };
  } catch {
    // It is shown without its text.
  }
  return { id: "unread", title: "Lienbook", body: "Open Lienbook to see what happened.", url: "/portfolio" };
}

/** The address at this server: a message never leads elsewhere. */
function ownPage(url) {
  const { origin } = self.location;
  if (!URL.canParse(url, origin)) return `${origin}/portfolio`;
  const { pathname, search, hash } = new URL(url, origin);
  return origin + pathname + search + hash;
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.page));
});

/** Opens a page in the tab that was used last, if there is one. It is asked first: a reload would end what it does. */
async function open(page) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((candidate) => new URL(candidate.url).pathname !== "/embed/borrow");
  if (!tab) return self.clients.openWindow(page);
  await tab.focus().catch(() => null);
  if (await isOpenedBy(tab, page)) return tab;
  return tab.navigate(page).catch(() => self.clients.openWindow(page));
}

function isOpenedBy(tab, page) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), ANSWER_MS);
    tab.postMessage({ open: page }, [port2]);
  });
}
