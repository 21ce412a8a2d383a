import { Navigate, Route, Routes } from "react-router";
import { rememberedWallet } from "@/features/wallet/wallet-memory";
import { lazyPart } from "@/shared/ui/lazy-part";
import { CATEGORIES, openingAddress } from "./last-category";
import { type Mode, marketPath } from "./market-address";
import { MarketPage } from "./market-page";
import { NotFoundPage } from "./not-found-page";
import { PageBoundary } from "./page-boundary";
import { PageSkeleton } from "./page-skeleton";
import { Shell } from "./shell";

// The market is the usual entry page; the other pages are loaded on navigation.
const PortfolioPage = lazyPart(
  () => import("./portfolio-page").then((module) => module.PortfolioPage),
  PageSkeleton,
);
const PendingPage = lazyPart(
  () => import("./portfolio-page").then((module) => module.PendingPage),
  PageSkeleton,
);
const RequestsPage = lazyPart(
  () => import("./requests-page").then((module) => module.RequestsPage),
  PageSkeleton,
);
const NotificationsPage = lazyPart(
  () => import("./notifications-page").then((module) => module.NotificationsPage),
  PageSkeleton,
);
const SessionsPage = lazyPart(
  () => import("./sessions-page").then((module) => module.SessionsPage),
  PageSkeleton,
);
const GuidePage = lazyPart(() => import("./guide-page").then((module) => module.GuidePage), PageSkeleton);

const PrivacyPage = lazyPart(
  () => import("./privacy-page").then((module) => module.PrivacyPage),
  PageSkeleton,
);

const BuildPage = lazyPart(() => import("./build-page").then((module) => module.BuildPage), PageSkeleton);

/** All pages, inside of the shell. */
export function Pages() {
  return (
    <PageBoundary>
      <Routes>
        <Route element={<Shell />}>
          <Route index element={<ToLastCategory mode="borrow" />} />
          {(["borrow", "lend"] as const).map((mode) => (
            <Route key={mode} path={mode} element={<ToLastCategory mode={mode} />} />
          ))}
          {(["borrow", "lend"] as const).flatMap((mode) =>
            CATEGORIES.map(({ category }) => {
              const path = marketPath(mode, category);
              return (
                <Route
                  key={path}
                  path={path}
                  element={<MarketPage key={path} mode={mode} category={category} />}
                />
              );
            }),
          )}
          <Route path="requests" element={<RequestsPage />} />
          <Route path="portfolio" element={<PortfolioPage />} />
          <Route path="portfolio/pending" element={<PendingPage />} />
          <Route path="settings" element={<Navigate to="/settings/notifications" replace />} />
          <Route path="settings/notifications" element={<NotificationsPage />} />
          <Route path="settings/sessions" element={<SessionsPage />} />
          <Route path="guide" element={<GuidePage />} />
          <Route path="guide/:part" element={<GuidePage />} />
          <Route path="privacy" element={<PrivacyPage />} />
          <Route path="build" element={<BuildPage />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Routes>
    </PageBoundary>
  );
}

function ToLastCategory({ mode }: { mode: Mode }) {
  return <Navigate to={openingAddress(mode, document.cookie, rememberedWallet() !== null)} replace />;
}
