import { useRef } from "react";

/**
 * The idempotency key of a submission: the same while the same request is retried, a new one for any other.
 * Call `done` once the server has responded.
 */
export function useSubmissionKey() {
  const kept = useRef<{ content: string; key: string } | null>(null);
  return {
    keyFor: (content: string): string => {
      if (kept.current?.content !== content) kept.current = { content, key: crypto.randomUUID() };
      return kept.current.key;
    },
    done: () => {
      kept.current = null;
    },
  };
}
