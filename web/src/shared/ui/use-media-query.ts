import { useCallback, useSyncExternalStore } from "react";

/** Phones and drawers end at 768 px. */
export const WIDE_SCREEN = "(min-width: 769px)";
export const DESKTOP_SCREEN = "(min-width: 1024px)";

/** Whether the window matches, kept up to date. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
