import { createBrowserRouter, Navigate } from "react-router";
import type { Category } from "@/shared/api/collection";
import { lazyPart } from "@/shared/ui/lazy-part";
import { MarketPage } from "./market-page";
import { NotFoundPage } from "./not-found-page";
import { PageSkeleton } from "./page-skeleton";
import { Shell } from "./shell";
import { TroublePage } from "./trouble-page";

const CATEGORIES: readonly Category[] = ["ordinals", "runes", "brc-20"];

// The market is where most people arrive; the other pages come when they are gone to.
const PortfolioPage = lazyPart(
  () => import("./portfolio-page").then((module) => module.PortfolioPage),
  PageSkeleton,
);
const PendingPage = lazyPart(
  () => import("./portfolio-page").then((module) => module.PendingPage),
  PageSkeleton,
);

export function createRouter() {
  return createBrowserRouter([
    {
      element: <Shell />,
      errorElement: <TroublePage />,
      children: [
        {
          // A page that fails leaves the header standing, so that there is a way to another one.
          errorElement: <TroublePage />,
          children: [
            { index: true, element: <Navigate to="/borrow/ordinals" replace /> },
            ...(["borrow", "lend"] as const).flatMap((mode) => [
              { path: mode, element: <Navigate to={`/${mode}/ordinals`} replace /> },
              ...CATEGORIES.map((category) => ({
                path: `${mode}/${category}`,
                element: <MarketPage key={`${mode}/${category}`} mode={mode} category={category} />,
              })),
            ]),
            { path: "portfolio", element: <PortfolioPage /> },
            { path: "portfolio/pending", element: <PendingPage /> },
            { path: "*", element: <NotFoundPage /> },
          ],
        },
      ],
    },
  ]);
}
