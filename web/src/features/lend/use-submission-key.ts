import { useRef } from "react";

/**
 * The key that makes a submission safe to repeat: the same one while the same thing is tried again, a fresh one for
 * anything else. Call `done` once the server has given its answer.
 */
export function useSubmissionKey() {
  const kept = useRef<{ what: string; key: string } | null>(null);
  return {
    keyFor: (what: string): string => {
      if (kept.current?.what !== what) kept.current = { what, key: crypto.randomUUID() };
      return kept.current.key;
    },
    done: () => {
      kept.current = null;
    },
  };
}
