import type { createRouter } from "./router";

/** Opens the page of a notification that was clicked, as the service worker asks, and answers that it did. */
export function openPage(router: ReturnType<typeof createRouter>, { data, ports }: MessageEvent): void {
  const page = data?.open;
  if (typeof page !== "string" || !URL.canParse(page)) return;
  const { origin, pathname, search, hash } = new URL(page);
  if (origin !== location.origin) return;
  void router.navigate(pathname + search + hash);
  ports[0]?.postMessage("opened");
}
