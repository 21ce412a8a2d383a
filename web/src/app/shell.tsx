import { BookOpen, Coins, HandCoins, WalletCards } from "lucide-react";
import { NuqsAdapter } from "nuqs/adapters/react-router/v7";
import type { ComponentType } from "react";
import { Link, NavLink, Outlet } from "react-router";
import { NoticeBell } from "@/features/notifications/notice-bell";
import { WalletButton } from "@/features/wallet/wallet-button";
import { useSession } from "@/shared/session/session-store";
import { classNames } from "@/shared/ui/class-names";
import { lazyPart } from "@/shared/ui/lazy-part";
import { Actions } from "./actions/actions";
import { ConnectionState } from "./connection-state";
import { useOpenedPages } from "./opened-page";
import { PageBoundary } from "./page-boundary";
import { ThemeMenu } from "./theme-menu";
import { useScrollPosition } from "./use-scroll-position";

const HaltNotice = lazyPart(() => import("./halt-notice").then((module) => module.HaltNotice));
const UpstreamNotice = lazyPart(() => import("./upstream-notice").then((module) => module.UpstreamNotice));

const NAV_ITEMS: ReadonlyArray<{
  to: string;
  label: string;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
}> = [
  { to: "/borrow", label: "Borrow", icon: HandCoins },
  { to: "/lend", label: "Lend", icon: Coins },
  { to: "/portfolio", label: "Portfolio", icon: WalletCards },
  { to: "/guide", label: "Guide", icon: BookOpen },
];

/** The frame around every page. */
export function Shell() {
  useScrollPosition();
  useOpenedPages();
  return (
    <NuqsAdapter>
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60 focus:rounded-control focus:bg-raised focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 h-14 border-b border-line bg-ground">
        <div className="mx-auto flex h-full max-w-[1440px] items-center gap-2 px-4 lg:px-6">
          <Link
            to="/borrow/ordinals"
            className="mr-4 flex items-center gap-2 rounded-control font-strong max-sm:mr-0"
          >
            <Logo />
            <Name />
          </Link>
          <nav aria-label="Main" className="flex items-center gap-1 max-md:hidden">
            {NAV_ITEMS.map(({ to, label }) => (
              <NavLink
                key={to}
                to={to}
                className={({ isActive }) =>
                  classNames(
                    "flex h-10 items-center rounded-control px-3 font-strong transition-colors hover:text-text",
                    isActive ? "text-text" : "text-muted",
                  )
                }
              >
                {label}
              </NavLink>
            ))}
          </nav>
          <div className="ml-auto flex items-center gap-1 max-sm:gap-0">
            <ConnectionState />
            <Actions />
            <NoticeBell />
            <ThemeMenu />
            <WalletButton />
          </div>
        </div>
      </header>
      <main
        id="page"
        tabIndex={-1}
        className="mx-auto max-w-[1440px] px-4 pt-5 pb-24 outline-none md:pb-10 lg:px-6"
      >
        <HaltNotice />
        <UpstreamNotice />
        {/* A page that fails leaves the header usable, so that the user can navigate away. */}
        <PageBoundary>
          <Outlet />
        </PageBoundary>
      </main>
      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-30 border-t border-line bg-surface pb-[env(safe-area-inset-bottom,0px)] md:hidden"
      >
        <ul className="flex">
          {NAV_ITEMS.map(({ to, label, icon: Icon }) => (
            <li key={to} className="flex-1">
              <NavLink
                to={to}
                className={({ isActive }) =>
                  classNames(
                    "flex h-14 flex-col items-center justify-center gap-0.5 text-xs -outline-offset-2",
                    isActive ? "font-strong text-text" : "text-muted",
                  )
                }
              >
                <Icon size={20} aria-hidden />
                {label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
    </NuqsAdapter>
  );
}

/** The product's name. On a phone only the logo is shown once the signed-in user's buttons need the space. */
function Name() {
  const isSignedIn = useSession((state) => state.session !== null);
  const isRestoring = useSession((state) => state.isRestoring);
  const isNarrow = isSignedIn || isRestoring;
  return (
    <span className={classNames("text-base tracking-tight", isNarrow && "max-sm:sr-only")}>Lienbook</span>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden className="size-6">
      <path d="M3 3h4v18H3z" fill="var(--accent)" />
      <path d="M10 4h11v4H10zM10 10h7v4h-7zM10 16h11v4H10z" fill="currentColor" />
    </svg>
  );
}
