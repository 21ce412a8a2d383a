import { useEffect, useRef } from "react";
import type { DraftError, ErrorField } from "./borrow-draft";

/** The reason why a draft could not be submitted, next to its control. */
export function DraftProblem({ error, at }: { error: DraftError | undefined; at: ErrorField }) {
  const line = useRef<HTMLParagraphElement>(null);
  const isHere = error?.at === at;
  useEffect(() => {
    if (isHere) line.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  if (!isHere) return null;
  return (
    <p ref={line} role="alert" className="text-sm text-down">
      {error.text}
    </p>
  );
}
