import { Drawer } from "@base-ui/react/drawer";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { IconButton } from "./button";
import "./modal.css";

interface ModalProps {
  open: boolean;
  /**
   * Called when the user asks to leave: Escape, the close button, a press outside, a swipe down. Never while
   * busy.
   */
  onClose: () => void;
  title: ReactNode;
  /** Shown under the title, one short sentence at most. */
  description?: ReactNode;
  /** Shown next to the close button, for example a selector. */
  headerActions?: ReactNode;
  /** Stays visible below the scrolling body: the place of the primary button. */
  footer?: ReactNode;
  /** Something is being signed or sent, so the modal cannot be closed. */
  busy?: boolean;
  /** `regular` is 580 px wide at most, `wide` 1120 px. */
  size?: "regular" | "wide";
  /** Receives the focus when the modal opens; the first focusable element otherwise. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
}

/**
 * A drawer up to 768 px wide, a dialog above. It is one element in two looks, so the user's input survives a
 * rotation of the phone or a resize of the window. Focus is trapped inside and returns where it was on
 * closing.
 */
export function Modal({
  open,
  onClose,
  title,
  description,
  headerActions,
  footer,
  busy = false,
  size = "regular",
  initialFocus,
  children,
}: ModalProps) {
  return (
    <Drawer.Root
      open={open}
      disablePointerDismissal={busy}
      onOpenChange={(next, details) => {
        if (next) return;
        if (busy) details.cancel();
        else onClose();
      }}
    >
      <Drawer.Portal>
        <Drawer.Backdrop className="modal-scrim" />
        <Drawer.Viewport className="modal-viewport">
          <Drawer.Popup
            className="modal-popup"
            data-size={size}
            aria-busy={busy || undefined}
            initialFocus={initialFocus}
          >
            <div
              aria-hidden
              className="mx-auto mt-2 h-1 w-10 shrink-0 rounded-full bg-line-strong md:hidden"
            />
            <Drawer.Content className="modal-content">
              <header className="flex shrink-0 items-center gap-2 border-b border-line py-3 pr-3 pl-5">
                <div className="min-w-0 flex-1">
                  <Drawer.Title className="truncate text-base font-strong">{title}</Drawer.Title>
                  {description && (
                    <Drawer.Description
                      className="mt-1 line-clamp-2 text-xs text-pretty text-muted"
                      render={<div />}
                    >
                      {description}
                    </Drawer.Description>
                  )}
                </div>
                {headerActions}
                <Drawer.Close
                  disabled={busy}
                  render={
                    <IconButton label="Close">
                      <X size={18} aria-hidden />
                    </IconButton>
                  }
                />
              </header>
              <div className="modal-body">{children}</div>
              {footer && (
                <footer className="modal-foot shrink-0 border-t border-line px-5 pt-4">{footer}</footer>
              )}
            </Drawer.Content>
          </Drawer.Popup>
        </Drawer.Viewport>
      </Drawer.Portal>
    </Drawer.Root>
  );
}
