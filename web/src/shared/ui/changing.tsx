import { type ReactNode, useState } from "react";
import { classNames } from "./class-names";

/**
 * Shows a number that can change by itself: on a change its background flashes once in the direction's
 * colour. The flash takes no space, so nothing next to it moves.
 */
export function Changing({
  value,
  className,
  children,
}: {
  /** The compared value; `children` is shown. */
  value: bigint | number | null;
  className?: string;
  children: ReactNode;
}) {
  const [seen, setSeen] = useState({ value, direction: 0, changes: 0 });
  if (seen.value !== value) {
    const direction = seen.value === null || value === null ? 0 : value > seen.value ? 1 : -1;
    setSeen({ value, direction, changes: seen.changes + 1 });
  }
  return (
    <span
      // A new key restarts the animation even if the last one is still running.
      key={seen.changes}
      data-changes={seen.changes}
      className={classNames(
        "-mx-1 rounded-[4px] px-1",
        seen.direction > 0 && "animate-flash-up",
        seen.direction < 0 && "animate-flash-down",
        className,
      )}
    >
      {children}
    </span>
  );
}
