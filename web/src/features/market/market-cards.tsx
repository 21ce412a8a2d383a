import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useRef } from "react";
import { truncateName } from "@/shared/format/name";
import { CollectionImage } from "@/shared/ui/collection-image";
import { ForYouMark } from "@/shared/ui/for-you-mark";
import { useDocumentTop } from "@/shared/ui/use-document-top";
import { useMediaQuery } from "@/shared/ui/use-media-query";
import { BestOffer, FavouriteStar, Ltv, Points, Price, PriceChange, Rate, Volume } from "./market-cells";
import { RATE_LABEL } from "./market-columns";
import { type MarketRow, termText } from "./market-rows";
import { ActionButton, OrdersButton, type RowActions } from "./market-table-row";
import type { MarketView } from "./market-view";

const CARD_HEIGHT_PX = 88;
const GAP_PX = 8;

interface MarketCardsProps extends RowActions {
  rows: MarketRow[];
  view: MarketView;
  hasChanges: boolean;
  caption: string;
}

/** Minimum width of two columns of cards. */
const TWO_LANES = "(min-width: 600px)";

/**
 * The market on narrow screens: a card per group, its two main numbers first. A tap anywhere on it opens it.
 */
export function MarketCards({ rows, view, hasChanges, caption, ...actions }: MarketCardsProps) {
  const frame = useRef<HTMLUListElement>(null);
  const top = useDocumentTop(frame);
  const lanes = useMediaQuery(TWO_LANES) ? 2 : 1;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    lanes,
    estimateSize: () => CARD_HEIGHT_PX + GAP_PX,
    overscan: 4,
    scrollMargin: top,
  });
  const width = `calc((100% - ${(lanes - 1) * GAP_PX}px) / ${lanes})`;
  return (
    <ul ref={frame} aria-label={caption} className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return (
          row && (
            <li
              key={row.collection.id}
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              className="absolute top-0"
              style={{
                transform: `translateY(${item.start - top}px)`,
                height: CARD_HEIGHT_PX,
                width,
                left: `calc((${width} + ${GAP_PX}px) * ${item.lane})`,
              }}
            >
              <MarketCard row={row} view={view} hasChanges={hasChanges} {...actions} />
            </li>
          )
        );
      })}
    </ul>
  );
}

interface MarketCardProps extends RowActions {
  row: MarketRow;
  view: MarketView;
  hasChanges: boolean;
}

const MarketCard = memo(function MarketCard({
  row,
  view,
  hasChanges,
  mode,
  onOpen,
  onOrders,
  onAction,
}: MarketCardProps) {
  const { collection } = row;
  const open = () => onOpen(collection);
  return (
    <article className="relative flex h-full flex-col justify-between rounded-card border border-line bg-surface px-3 py-2">
      <div className="flex min-w-0 items-center gap-2">
        <CollectionImage
          id={collection.id}
          name={collection.collectionName}
          url={collection.collectionImgURL}
          size="small"
        />
        <button
          type="button"
          data-row-open
          title={collection.collectionName}
          aria-label={collection.collectionName}
          onClick={open}
          className="min-w-0 truncate rounded-[4px] py-1.5 text-left text-sm font-strong after:absolute after:inset-0 after:content-['']"
        >
          {truncateName(collection.collectionName)}
        </button>
        <span className="relative -mx-2 flex">
          <FavouriteStar collection={collection} starred={row.favourite} />
        </span>
        <span className="max-[420px]:hidden">
          <Points collection={collection} />
        </span>
        <span className="ml-auto shrink-0 text-base font-strong">
          <span className="sr-only">Best offer </span>
          <BestOffer row={row} />
          {row.isForUser && <ForYouMark className="-mt-1 block text-right leading-3" />}
        </span>
      </div>
      <div className="flex min-w-0 items-center gap-1">
        <div className="min-w-0 flex-1 text-xs text-muted">
          <dl className="flex h-4 flex-wrap gap-x-2 overflow-hidden">
            <Figure label={RATE_LABEL[mode]}>
              <span className="text-text">
                <Rate row={row} mode={mode} />
              </span>{" "}
              {mode === "lend" && "APY"}
            </Figure>
            <Figure label="Term">{termText(row)}</Figure>
            <Figure label="LTV" isShown>
              <Ltv row={row} />
            </Figure>
          </dl>
          <dl className="flex h-4 flex-wrap gap-x-2 overflow-hidden">
            <Figure label={collection.collateralType === "inscription" ? "Floor" : "Price"} isShown>
              <Price collection={collection} />
            </Figure>
            {hasChanges && view.change !== "none" && (
              <Figure label={`${view.change} change`}>
                <PriceChange collection={collection} period={view.change} />
              </Figure>
            )}
            {view.volume !== "none" && (
              <Figure label="Vol" isShown>
                <Volume collection={collection} period={view.volume} />
              </Figure>
            )}
          </dl>
        </div>
        <div className="relative flex items-center gap-1">
          <OrdersButton row={row} onOpen={() => onOrders(collection)} short />
          <ActionButton row={row} mode={mode} onAction={onAction} />
        </div>
      </div>
    </article>
  );
});

/** A figure with its label, which is for screen readers only where the figure is self-explanatory. */
function Figure({
  label,
  isShown = false,
  children,
}: {
  label: string;
  isShown?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="whitespace-nowrap">
      <dt className={isShown ? "inline" : "sr-only"}>{label} </dt>
      <dd className="inline">{children}</dd>
    </div>
  );
}
