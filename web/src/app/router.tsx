import { createBrowserRouter, Navigate } from "react-router";
import { rememberedWallet } from "@/features/wallet/wallet-memory";
import { lazyPart } from "@/shared/ui/lazy-part";
import { ErrorPage } from "./error-page";
import { CATEGORIES, openingAddress } from "./last-category";
import { type Mode, marketPath } from "./market-address";
import { MarketPage } from "./market-page";
import { NotFoundPage } from "./not-found-page";
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

export function createRouter() {
  const router = createBrowserRouter([
    {
      element: <Shell />,
      errorElement: <ErrorPage />,
      children: [
        {
          // A page that fails leaves the header usable, so that the user can navigate away.
          errorElement: <ErrorPage />,
          children: [
            { index: true, element: <ToLastCategory mode="borrow" /> },
            ...(["borrow", "lend"] as const).flatMap((mode) => [
              { path: mode, element: <ToLastCategory mode={mode} /> },
              ...CATEGORIES.map(({ category }) => ({
                path: marketPath(mode, category),
                element: <MarketPage key={marketPath(mode, category)} mode={mode} category={category} />,
              })),
            ]),
            { path: "requests", element: <RequestsPage /> },
            { path: "portfolio", element: <PortfolioPage /> },
            { path: "portfolio/pending", element: <PendingPage /> },
            { path: "settings", element: <Navigate to="/settings/notifications" replace /> },
            { path: "settings/notifications", element: <NotificationsPage /> },
            { path: "settings/sessions", element: <SessionsPage /> },
            { path: "guide", element: <GuidePage /> },
            { path: "guide/:part", element: <GuidePage /> },
            { path: "*", element: <NotFoundPage /> },
          ],
        },
      ],
    },
  ]);
  navigator.serviceWorker?.addEventListener(
    "message",
    (event) => void import("./opened-page").then((module) => module.openPage(router, event)),
  );
  return router;
}

function ToLastCategory({ mode }: { mode: Mode }) {
  return <Navigate to={openingAddress(mode, document.cookie, rememberedWallet() !== null)} replace />;
}
