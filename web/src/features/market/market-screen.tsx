import { useMemo } from "react";
import type { Category, Collection } from "@/shared/api/collection";
import { useFavourites } from "@/shared/favourites/favourites-store";
import { useFeedStore } from "@/shared/feed/feed-store";
import { useMarket, useRetry, useTaker } from "@/shared/feed/use-feed";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { EmptyState } from "@/shared/ui/empty-state";
import { lazyPart } from "@/shared/ui/lazy-part";
import { DESKTOP_SCREEN, useMediaQuery } from "@/shared/ui/use-media-query";
import { useForYou } from "./for-you";
import { visibleColumns } from "./market-columns";
import { hasPriceChanges, type Mode, selectRows } from "./market-rows";
import { MarketSkeleton } from "./market-skeleton";
import { MarketStrip } from "./market-strip-place";
import { MarketTable } from "./market-table";
import { MarketToolbar } from "./market-toolbar";
import { DEFAULT_SORT, FILTERS, type MarketView, useMarketView } from "./market-view";

/** Lazy, because only phones need them; their space is reserved meanwhile. */
const MarketCards = lazyPart(
  () => import("./market-cards").then((module) => module.MarketCards),
  () => <MarketSkeleton cards />,
);

/** Wide columns from this width on; below it they are closer together. */
const ROOMY_SCREEN = "(min-width: 1280px)";

interface MarketScreenProps {
  mode: Mode;
  category: Category;
  /** Opens a collection in detail. */
  onOpen: (collection: Collection) => void;
  onOrders: (collection: Collection) => void;
  /** Opens borrowing or lending, by the mode. */
  onAction: (collection: Collection) => void;
}

/** The collection table of one category, to borrow from or to lend in. */
export function MarketScreen({ mode, category, onOpen, onOrders, onAction }: MarketScreenProps) {
  const market = useMarket();
  const retry = useRetry("market");
  const down = useFeedStore((state) => state.connection === "down");
  const [view, setView] = useMarketView();
  const favourites = useFavourites((state) => state.ids);
  const taker = useTaker();
  const isForYou = view.filters.includes("for-you");
  const { groups: forYou, isAsking } = useForYou(mode, category, isForYou, market.data);
  const desktop = useMediaQuery(DESKTOP_SCREEN);
  const roomy = useMediaQuery(ROOMY_SCREEN);
  const hasChanges = hasPriceChanges(category, view.process);

  const rows = useMemo(
    () =>
      market.data
        ? selectRows(market.data.values(), { mode, category, view, favourites, forYou, taker })
        : null,
    [market.data, mode, category, view, favourites, forYou, taker],
  );
  const { volume, change } = view;
  const columns = useMemo(
    () => visibleColumns({ mode, category, volume, change, hasChanges, narrow: !roomy }),
    [mode, category, volume, change, hasChanges, roomy],
  );
  const filters = forYou ? FILTERS : FILTERS.filter((filter) => filter !== "for-you");
  const caption = `Collections to ${mode === "lend" ? "lend in" : "borrow against"}`;
  const list = { rows: rows ?? [], view, mode, onOpen, onOrders, onAction, caption };

  return (
    <>
      <MarketStrip market={market.data} category={category} process={view.process} mode={mode} />
      <MarketToolbar
        mode={mode}
        category={category}
        view={view}
        onChange={setView}
        hasChanges={hasChanges}
        filters={filters}
        cards={!desktop}
      />
      <p aria-live="polite" className="sr-only">
        {rows && (rows.length === 1 ? "1 collection" : `${rows.length} collections`)}
      </p>
      <div className={classNames("mt-3", down && rows !== null && "stale")}>
        {((rows === null && market.refusal === null) || isAsking) && <MarketSkeleton cards={!desktop} />}
        {rows === null && market.refusal !== null && (
          <EmptyState
            title="The market could not be loaded"
            action={<Button onClick={retry}>Try again</Button>}
          >
            {market.refusal}. Your offers and loans are not affected.
          </EmptyState>
        )}
        {rows?.length === 0 && !isAsking && (
          <EmptyState
            title="No results found"
            action={
              (view.q !== "" || view.filters.length > 0) && (
                <Button onClick={() => setView({ q: "", filters: [], sort: DEFAULT_SORT })}>
                  Clear search and filters
                </Button>
              )
            }
          >
            {emptyText(view, mode)}
          </EmptyState>
        )}
        {rows &&
          rows.length > 0 &&
          !isAsking &&
          (desktop ? (
            <MarketTable {...list} columns={columns} onSort={(sort) => setView({ sort })} />
          ) : (
            <MarketCards {...list} hasChanges={hasChanges} />
          ))}
      </div>
    </>
  );
}

/** The reason for an empty table. */
function emptyText({ q, filters, process }: MarketView, mode: Mode): string {
  if (filters.length === 1 && filters[0] === "for-you" && q === "") {
    return mode === "lend"
      ? "You have no offers in this part of the market."
      : "Your wallet holds no collateral that can be borrowed against here.";
  }
  if (q !== "" || filters.length > 0) return "No collection matches the search and the filters together.";
  return `No collection takes ${process} offers here yet.`;
}
