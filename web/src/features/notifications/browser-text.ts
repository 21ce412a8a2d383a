import type { NoticeKind } from "@/shared/api/notice";
import type { BadgeTone } from "@/shared/ui/badge";
import type { BrowserState } from "./browser-push";
import type { Notifications } from "./notification-requests";
import type { Subscription } from "./push-requests";

/** What the section about this browser shows. */
export interface BrowserView {
  label: string;
  tone: BadgeTone;
  text: string;
  /** What its button does; null without one. */
  action: "on" | "off" | "renew" | null;
}

/** The subscription of this account in this browser. */
export function ownSubscription(
  browser: BrowserState,
  subscriptions: readonly Subscription[],
): Subscription | null {
  if (browser.name !== "subscribed") return null;
  return subscriptions.find(({ endpoint }) => endpoint === browser.endpoint) ?? null;
}

const OFF = {
  label: "Off",
  tone: "neutral",
  text: "Notifications in this browser, also while Lienbook is closed. Their texts have no amounts.",
  action: "on",
} as const;

/** The state of push in this browser for this account, and what its user can do. */
export function browserView(
  browser: BrowserState,
  publicKey: string | null,
  own: Subscription | null,
): BrowserView {
  if (publicKey === null) {
    const text = "This server sends nothing to browsers.";
    return { label: "Not available", tone: "neutral", text, action: null };
  }
  switch (browser.name) {
    case "unsupported": {
      const text =
        "This browser takes no push messages. On an iPhone or iPad, add Lienbook to the home screen and open it there.";
      return { label: "Not available", tone: "neutral", text, action: null };
    }
    case "denied": {
      const text =
        "This browser blocks notifications of Lienbook. Open the site settings next to the address, allow notifications, then reload the page.";
      return { label: "Blocked", tone: "down", text, action: null };
    }
    case "off":
      return OFF;
    case "subscribed": {
      if (own === null) return OFF;
      if (browser.key !== null && browser.key !== publicKey) {
        const text = "The server has a new key. Until you renew it, nothing arrives here.";
        return { label: "Not renewed", tone: "warn", text, action: "renew" };
      }
      const text = "You are notified here, also while Lienbook is closed and after you sign out.";
      return { label: "On", tone: "up", text, action: "off" };
    }
  }
}

/** The kinds to begin with: those the user gets by email and Telegram, else the critical ones. */
export function firstKinds({ criticalAlerts, choices }: Pick<Notifications, "criticalAlerts" | "choices">) {
  const chosen = choices.filter(({ isChosen, isCritical }) => isChosen && (criticalAlerts || !isCritical));
  const kinds: readonly NoticeKind[] = (
    chosen.length > 0 ? chosen : choices.filter(({ isCritical }) => isCritical)
  ).map(({ kind }) => kind);
  return kinds;
}
