import { useEffect } from "react";
import { type NavigateFunction, useNavigate } from "react-router";

/** Opens the pages of notifications that are clicked, in this tab when the service worker asks for it. */
export function useOpenedPages(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const open = (event: MessageEvent) => openPage(navigate, event);
    navigator.serviceWorker?.addEventListener("message", open);
    return () => navigator.serviceWorker?.removeEventListener("message", open);
  }, [navigate]);
}

/** Opens the page of a message, and answers that it did. */
function openPage(navigate: NavigateFunction, { data, ports }: MessageEvent): void {
  const page = data?.open;
  if (typeof page !== "string" || !URL.canParse(page)) return;
  const { origin, pathname, search, hash } = new URL(page);
  if (origin !== location.origin) return;
  void navigate(pathname + search + hash);
  ports[0]?.postMessage("opened");
}
