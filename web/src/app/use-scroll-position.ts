import { useEffect, useLayoutEffect } from "react";
import { useLocation } from "react-router";

const STORED = "scroll-positions";

/** The last position of each page, by its path. */
const positions = new Map<string, number>(storedPositions());

/**
 * Scrolls to where a page was left when it is shown again, otherwise to the part that the hash names or to the
 * top. A change of the query alone scrolls nothing.
 */
export function useScrollPosition(): void {
  const { pathname, hash } = useLocation();
  useEffect(() => {
    history.scrollRestoration = "manual";
    // A page that is loaded again is restored by the browser, once it is as long as it was.
    const leave = () => {
      history.scrollRestoration = "auto";
      storePositions();
    };
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new hash on the same page is the browser's.
  useLayoutEffect(() => {
    const left = positions.get(pathname);
    const named =
      left === undefined && hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    if (named) named.scrollIntoView();
    else scrollTo(0, left ?? 0);
    // Before the next page is rendered, whose length would limit the position.
    const remember = () => void positions.set(pathname, scrollY);
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, [pathname]);
}

function storedPositions(): [string, number][] {
  try {
    return Object.entries(JSON.parse(sessionStorage.getItem(STORED) ?? "{}")).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    );
  } catch {
    return [];
  }
}

function storePositions(): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries(positions)));
  } catch {
    // Without storage a page that is loaded again begins at the top.
  }
}
