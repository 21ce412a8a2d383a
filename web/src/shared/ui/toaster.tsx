import { useEffect } from "react";
import { createPortal } from "react-dom";
import { Toaster as Sonner, toast } from "sonner";
import { useTheme } from "@/shared/theme/theme-store";
import { takeToasts, useToasts } from "./toasts";
import { useMediaQuery, WIDE_SCREEN } from "./use-media-query";

/**
 * The container of toasts: outside of the page, so that no dialog dims or covers them. Call `notify` to show
 * one.
 */
export function Toaster() {
  const choice = useTheme((state) => state.choice);
  // Away from the primary buttons: they are at the right of a dialog's footer, and across the footer of a
  // phone's drawer.
  const position = useMediaQuery(WIDE_SCREEN) ? "bottom-left" : "top-center";
  const waiting = useToasts((state) => state.waiting);
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const { kind, title, description, duration } of takeToasts())
      toast[kind](title, { description, duration });
  }, [waiting]);
  return createPortal(
    <Sonner
      theme={choice}
      position={position}
      closeButton
      style={{ fontFamily: "inherit" }}
      toastOptions={{
        style: {
          background: "var(--surface)",
          color: "var(--text)",
          border: "1px solid var(--line-strong)",
          borderRadius: "10px",
          boxShadow: "var(--shade)",
          fontFamily: "inherit",
        },
      }}
    />,
    document.body,
  );
}
