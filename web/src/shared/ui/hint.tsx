import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

/** A short explanation that appears on hover and on focus. `children` is the element it explains. */
export function Hint({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger delay={250} render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-60">
          <Tooltip.Popup className="max-w-72 rounded-control border border-line-strong bg-raised px-2.5 py-1.5 text-xs text-text shadow-float transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
