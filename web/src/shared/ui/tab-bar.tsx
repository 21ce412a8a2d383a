import { type ComponentType, type ReactNode, useLayoutEffect, useRef } from "react";
import { Link, type To } from "react-router";
import { Badge, type BadgeTone } from "./badge";
import { classNames } from "./class-names";
import { rememberInCookie } from "./cookie";

export interface Tab {
  id: string;
  label: string;
  /** Target of the tab. It changes the URL; nothing is reloaded unless `reload` is set. */
  to: To;
  icon?: ComponentType<{ size?: number; "aria-hidden"?: boolean; className?: string }>;
  /** Number of items that wait there; shown from one up. */
  count?: number;
  /** The reason why the tab cannot be chosen now; null or absent when it can. */
  disabledReason?: string | null;
  /** Stored for the next visit when the tab is chosen. */
  cookie?: { name: string; value: string };
  /** Requests the page from the server again, for content that depends on the cookie. */
  reload?: boolean;
}

/** Tabs of pages or parts of a page, each with its own URL. */
export function TabBar({
  label,
  tabs,
  current,
  variant = "line",
  countTone = "neutral",
}: {
  /** Name of the tab group, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** Id of the current tab. */
  current: string;
  /** A line under the current tab, or a pill around it. */
  variant?: "line" | "pill";
  countTone?: BadgeTone;
}) {
  const bar = useRef<HTMLElement>(null);
  // Where the tabs do not fit, the current one is scrolled into view.
  useLayoutEffect(() => {
    const chosen = bar.current?.querySelector<HTMLElement>(`[data-tab="${current}"]`);
    if (bar.current && chosen) bar.current.scrollLeft = chosen.offsetLeft - bar.current.offsetLeft - 24;
  }, [current]);
  return (
    <nav
      ref={bar}
      aria-label={label}
      className={classNames(
        "flex gap-1",
        variant === "line" && "overflow-x-auto border-b border-line max-sm:gap-0",
      )}
    >
      {tabs.map((tab) => (
        <TabLink key={tab.id} tab={tab} isCurrent={tab.id === current} variant={variant}>
          {tab.icon && <tab.icon size={16} aria-hidden className="max-sm:hidden" />}
          {tab.label}
          {tab.count !== undefined && tab.count > 0 && <Badge tone={countTone}>{tab.count}</Badge>}
        </TabLink>
      ))}
    </nav>
  );
}

function TabLink({
  tab,
  isCurrent,
  variant,
  children,
}: {
  tab: Tab;
  isCurrent: boolean;
  variant: "line" | "pill";
  children: ReactNode;
}) {
  const shape =
    variant === "line"
      ? "-mb-px h-10 border-b-2 px-3 -outline-offset-2 max-sm:gap-1.5 max-sm:px-1.5"
      : "h-9 rounded-full border px-3.5";
  const base = classNames("flex shrink-0 items-center gap-2 text-sm transition-colors", shape);
  if (tab.disabledReason) {
    return (
      <button
        type="button"
        disabled
        title={tab.disabledReason}
        className={classNames(base, "cursor-not-allowed border-transparent text-muted opacity-45")}
      >
        {children}
      </button>
    );
  }
  const chosen = variant === "line" ? "border-text text-text" : "border-line-strong bg-raised text-text";
  return (
    <Link
      to={tab.to}
      data-tab={tab.id}
      reloadDocument={tab.reload}
      onClick={() => tab.cookie && rememberInCookie(tab.cookie.name, tab.cookie.value)}
      aria-current={isCurrent ? "page" : undefined}
      className={classNames(base, isCurrent ? chosen : "border-transparent text-muted hover:text-text")}
    >
      {children}
    </Link>
  );
}
