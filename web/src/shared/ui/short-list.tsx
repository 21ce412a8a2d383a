import { type ReactNode, useState } from "react";
import { Button } from "./button";
import { classNames } from "./class-names";

/** The number of items that are shown at first. */
const SHOWN_FIRST = 3;

/** A list of ids that shows its first items, and the others on demand. */
export function ShortList({
  label,
  ids,
  className,
  children,
}: {
  /** The list's name, for screen readers. */
  label: string;
  ids: readonly string[];
  className?: string;
  children: (id: string, index: number) => ReactNode;
}) {
  const [isWhole, setIsWhole] = useState(false);
  // A list that is longer by one item needs as much space as the button.
  const isLong = ids.length > SHOWN_FIRST + 1;
  const shown = isLong && !isWhole ? ids.slice(0, SHOWN_FIRST) : ids;
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <ul aria-label={label} className={classNames("flex w-full min-w-0 flex-col", className)}>
        {shown.map((id, index) => (
          <li key={id} className="min-w-0">
            {children(id, index)}
          </li>
        ))}
      </ul>
      {isLong && (
        <Button size="small" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${ids.length}`}
        </Button>
      )}
    </div>
  );
}
