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
  const [shown, setShown] = useState({ value, direction: 0, changes: 0 });
  if (shown.value !== value) {
    const direction = shown.value === null || value === null ? 0 : value > shown.value ? 1 : -1;
    setShown({ value, direction, changes: shown.changes + 1 });
  }
  return (
    <span
      // A new key restarts the animation even if the last one is still running.
      key={shown.changes}
      data-changes={shown.changes}
      className={classNames(
        "-mx-1 rounded-[4px] px-1",
        shown.direction > 0 && "animate-flash-up",
        shown.direction < 0 && "animate-flash-down",
        className,
      )}
    >
      {children}
    </span>
  );
}
