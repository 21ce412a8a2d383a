import { createPortal } from "react-dom";
import { Toaster as Sonner } from "sonner";
import { useTheme } from "@/shared/theme/theme-store";

/** Where toasts appear: beside the page, so that no dialog dims or covers them. Call `notify` to show one. */
export function Toaster() {
  const choice = useTheme((state) => state.choice);
  return createPortal(
    <Sonner
      theme={choice}
      position="bottom-right"
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
