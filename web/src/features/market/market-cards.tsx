import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useRef } from "react";
import { truncateName } from "@/shared/format/name";
import { CollectionImage } from "@/shared/ui/collection-image";
import { useDocumentTop } from "@/shared/ui/use-document-top";
import { useMediaQuery } from "@/shared/ui/use-media-query";
import { BestOffer, FavouriteStar, Ltv, Points, Price, PriceChange, Rate, Volume } from "./market-cells";
import { type MarketRow, termText } from "./market-rows";
import { ActButton, OrdersButton, type RowActions } from "./market-table-row";
import type { MarketView } from "./market-view";

const CARD_HEIGHT_PX = 176;
const GAP_PX = 12;

interface MarketCardsProps extends RowActions {
  rows: MarketRow[];
  view: MarketView;
  hasChanges: boolean;
  caption: string;
}

/** Cards side by side from this width on. */
const TWO_LANES = "(min-width: 600px)";

/** The market where a table has no room: a card per group, its two deciding numbers first. */
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
  onAct,
}: MarketCardProps) {
  const { collection } = row;
  const open = () => onOpen(collection);
  return (
    <article className="flex h-full flex-col rounded-card border border-line bg-surface p-3">
      <div className="flex min-w-0 items-center gap-3">
        <CollectionImage
          id={collection.id}
          name={collection.collectionName}
          url={collection.collectionImgURL}
        />
        <button
          type="button"
          data-row-open
          title={collection.collectionName}
          aria-label={collection.collectionName}
          onClick={open}
          className="min-w-0 flex-1 truncate rounded-[4px] py-2 text-left font-strong"
        >
          {truncateName(collection.collectionName)}
        </button>
        <Points collection={collection} />
        <FavouriteStar collection={collection} starred={row.favourite} />
      </div>
      <dl className="mt-2 grid grid-cols-[1.1fr_0.9fr_1fr] gap-x-3">
        <Figure label="Best offer" strong>
          <BestOffer row={row} />
        </Figure>
        <Figure label={mode === "lend" ? "Max APY" : "Min interest"} strong>
          <Rate row={row} mode={mode} />
        </Figure>
        <Figure label={collection.collateralType === "inscription" ? "Floor" : "Unit price"}>
          <Price collection={collection} />
        </Figure>
      </dl>
      <div className="mt-auto flex items-center gap-2">
        <div className="min-w-0 flex-1 text-xs text-muted">
          <p className="flex flex-wrap gap-x-3">
            <span>{termText(row, view.process)}</span>
            <span>
              LTV <Ltv row={row} />
            </span>
          </p>
          <p className="flex flex-wrap gap-x-3">
            {view.volume !== "none" && (
              <span>
                Vol <Volume collection={collection} period={view.volume} />
              </span>
            )}
            {hasChanges && view.change !== "none" && (
              <PriceChange collection={collection} period={view.change} />
            )}
          </p>
        </div>
        <OrdersButton row={row} onOpen={() => onOrders(collection)} short />
        <ActButton row={row} mode={mode} onAct={onAct} />
      </div>
    </article>
  );
});

function Figure({
  label,
  strong = false,
  children,
}: {
  label: string;
  strong?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className={strong ? "truncate text-base font-strong" : "truncate text-sm leading-6"}>{children}</dd>
    </div>
  );
}
