import { useEffect, useRef } from "react";
import type { DraftError, ErrorField } from "./borrow-draft";

/** The reason why a draft could not be submitted, next to its control. */
export function DraftProblem({ error, at }: { error: DraftError | undefined; at: ErrorField }) {
  const line = useRef<HTMLParagraphElement>(null);
  const isShown = error?.at === at;
  useEffect(() => {
    if (isShown) line.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  if (!isShown) return null;
  return (
    <p ref={line} role="alert" className="text-sm text-down">
      {error.text}
    </p>
  );
}
