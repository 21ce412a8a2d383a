import { Tooltip } from "@base-ui/react/tooltip";
import { type ReactElement, type ReactNode, useId, useRef, useState } from "react";

/**
 * A short explanation that appears on hover, on focus and on a tap, and that screen readers announce with the
 * element. `children` is the element it explains; without a text only the element is rendered.
 */
export function Hint({ text, children }: { text: ReactNode | null; children: ReactElement }) {
  const [isOpen, setIsOpen] = useState(false);
  const isTouch = useRef(false);
  const id = useId();
  const hasText = text !== null;
  const change = (next: boolean, { reason }: { reason: string }) => {
    // After a tap browsers emulate a mouse that leaves at once.
    if (!next && isTouch.current && reason === "trigger-hover") return;
    if (!next) isTouch.current = false;
    setIsOpen(next);
  };
  // A text that returns does not open by itself.
  if (isOpen && !hasText) setIsOpen(false);
  return (
    <>
      <Tooltip.Root open={isOpen && hasText} onOpenChange={change} disabled={!hasText}>
        <Tooltip.Trigger
          delay={250}
          // Touch has no hover, so a press shows the hint instead of closing it.
          closeOnClick={false}
          onClick={({ nativeEvent }) => {
            // A press that acts may set a text while a dialog is over this one.
            if (!hasText) return;
            isTouch.current = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === "touch";
            setIsOpen(true);
          }}
          aria-describedby={hasText ? id : undefined}
          render={children}
        />
        <Tooltip.Portal>
          <Tooltip.Positioner sideOffset={6} className="z-60">
            <Tooltip.Popup className="max-w-72 rounded-control border border-line-strong bg-raised px-2.5 py-1.5 text-xs text-text shadow-float transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
              {text}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      </Tooltip.Root>
      {hasText && (
        <span id={id} hidden>
          {text}
        </span>
      )}
    </>
  );
}
