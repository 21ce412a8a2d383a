import type { ReactNode } from "react";
import { classNames } from "./class-names";

export type BadgeTone = "neutral" | "own" | "up" | "down" | "warn";

const TONE: Record<BadgeTone, string> = {
  neutral: "bg-raised text-soft",
  own: "border border-text text-text",
  up: "bg-up-tint text-up",
  down: "bg-down-tint text-down",
  warn: "bg-warn-tint text-warn",
};

/** A short label of the item next to it. */
export function Badge({
  tone = "neutral",
  className,
  title,
  children,
}: {
  tone?: BadgeTone;
  className?: string;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex h-5 shrink-0 items-center gap-1 rounded-full px-2 text-xs whitespace-nowrap",
        TONE[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
