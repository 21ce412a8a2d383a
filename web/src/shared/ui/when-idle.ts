/** The wait before the browser is asked, in which the page shows its first data. */
const FIRST_MS = 3_000;
/** The longest wait after that. */
const WAIT_MS = 4_000;

/** Calls back once the page is shown and the browser has nothing to do. Returns what cancels it. */
export function whenIdle(callback: () => void): () => void {
  let cancel = () => {};
  const timer = setTimeout(() => {
    if (typeof requestIdleCallback === "undefined") {
      callback();
      return;
    }
    const handle = requestIdleCallback(callback, { timeout: WAIT_MS });
    cancel = () => cancelIdleCallback(handle);
  }, FIRST_MS);
  return () => {
    clearTimeout(timer);
    cancel();
  };
}
