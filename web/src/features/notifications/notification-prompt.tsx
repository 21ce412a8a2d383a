import { BellRing, X } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useSession } from "@/shared/session/session-store";
import { buttonClass, IconButton } from "@/shared/ui/button";
import { isSnoozed, needsCriticalNotifications } from "./notification-preferences";

const STORAGE_KEY = "lienbook.notification-prompt";

/** Reminds a user without a notification channel that a counter-signature or a due date does not wait. */
export function NotificationPrompt() {
  const preferences = useSession((state) => state.session?.notificationPreferences);
  const [isDismissed, setIsDismissed] = useState(() => isSnoozed(stored(), Date.now()));
  if (isDismissed || !preferences || !needsCriticalNotifications(preferences)) return null;
  return (
    <aside
      aria-label="Notifications"
      className="mb-5 flex min-h-14 items-center gap-3 rounded-card border border-line bg-surface py-2 pr-2 pl-4 text-sm"
    >
      <BellRing size={18} aria-hidden className="shrink-0 text-warn max-sm:hidden" />
      <p className="min-w-0 flex-1">
        <span className="font-strong">Enable critical notifications</span>
        <span className="block text-xs text-pretty text-muted">
          You have 12 hours to counter-sign a loan, and a missed due date can cost the collateral.
        </span>
      </p>
      <Link to="/settings/notifications" className={buttonClass({ size: "small" })}>
        Enable
      </Link>
      <IconButton
        size="small"
        label="Not now"
        onClick={() => {
          dismiss();
          setIsDismissed(true);
        }}
      >
        <X size={16} aria-hidden />
      </IconButton>
    </aside>
  );
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function dismiss(): void {
  try {
    localStorage.setItem(STORAGE_KEY, String(Date.now()));
  } catch {
    // The prompt then returns with the next visit.
  }
}
