import { BookOpen } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { truncateName } from "@/shared/format/name";
import { formatPercent } from "@/shared/format/percent";
import { buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";
import { ForYouMark } from "@/shared/ui/for-you-mark";
import { BestOffer, FavouriteStar, Ltv, Points, Price, PriceChange, Rate, Volume } from "./market-cells";
import type { ColumnId, MarketColumn } from "./market-columns";
import { type MarketRow, type Mode, termText } from "./market-rows";
import type { MarketView } from "./market-view";

export interface RowActions {
  mode: Mode;
  onOpen: (collection: Collection) => void;
  onOrders: (collection: Collection) => void;
  onAction: (collection: Collection) => void;
}

const NUMBERS: ReadonlySet<ColumnId> = new Set(["offer", "rate", "term", "ltv", "price", "volume", "change"]);

interface MarketTableRowProps extends RowActions {
  row: MarketRow;
  index: number;
  columns: MarketColumn[];
  view: MarketView;
}

export const MarketTableRow = memo(
  function MarketTableRow({
    row,
    index,
    columns,
    view,
    mode,
    onOpen,
    onOrders,
    onAction,
  }: MarketTableRowProps) {
    const { collection } = row;
    const open = () => onOpen(collection);
    const cell = (id: ColumnId): ReactNode => {
      switch (id) {
        case "name":
          return <NameCell row={row} onOpen={open} />;
        case "orders":
          return (
            <OrdersButton
              row={row}
              onOpen={() => onOrders(collection)}
              short={columns.some((column) => column.id === "orders" && column.width < 80)}
            />
          );
        case "offer":
          return (
            <>
              <BestOffer row={row} />
              {row.isForUser && <ForYouMark className="block leading-4" />}
            </>
          );
        case "rate":
          return <Rate row={row} mode={mode} />;
        case "term":
          return termText(row);
        case "ltv":
          return <Ltv row={row} />;
        case "price":
          return <Price collection={collection} />;
        case "volume":
          return <Volume collection={collection} period={view.volume} />;
        case "change":
          return <PriceChange collection={collection} period={view.change} />;
        case "action":
          return <ActionButton row={row} mode={mode} onAction={onAction} />;
      }
    };
    return (
      <tr
        data-row-index={index}
        aria-rowindex={index + 2}
        onClick={open}
        className="group/row h-14 cursor-pointer transition-colors hover:bg-surface"
      >
        {columns.map((column) => (
          <td
            key={column.id}
            className={classNames(
              "h-14 border-b border-line px-1.5 whitespace-nowrap first:pl-2 last:pr-2 xl:px-2",
              column.id === "name" ? "text-left" : "text-right",
              // A number too long for its column is cut off instead of overlapping the next one.
              NUMBERS.has(column.id) && "overflow-hidden text-ellipsis",
            )}
          >
            {cell(column.id)}
          </td>
        ))}
      </tr>
    );
  },
  // Favourites and prices create new row objects; only the visible values decide whether to re-render.
  (before, after) =>
    before.row.collection === after.row.collection &&
    before.row.quotes === after.row.quotes &&
    before.row.favourite === after.row.favourite &&
    before.index === after.index &&
    before.columns === after.columns &&
    before.view.process === after.view.process &&
    before.view.volume === after.view.volume &&
    before.view.change === after.view.change &&
    before.mode === after.mode &&
    before.onOpen === after.onOpen &&
    before.onOrders === after.onOrders &&
    before.onAction === after.onAction,
);

function NameCell({ row, onOpen }: { row: MarketRow; onOpen: () => void }) {
  const { collection } = row;
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <span className="relative flex">
        <CollectionImage
          id={collection.id}
          name={collection.collectionName}
          url={collection.collectionImgURL}
        />
        {collection.pointsMultiplier ? (
          <span className="absolute inset-x-0 -bottom-1 rounded-full border border-line bg-raised text-center text-xs leading-3.5 text-soft xl:hidden">
            +{formatPercent(collection.pointsMultiplier)}
          </span>
        ) : null}
      </span>
      <button
        type="button"
        data-row-open
        title={collection.collectionName}
        aria-label={collection.collectionName}
        onClick={(event) => {
          event.stopPropagation();
          onOpen();
        }}
        className="min-w-0 truncate rounded-[4px] text-left font-strong"
      >
        {truncateName(collection.collectionName)}
      </button>
      {collection.pointsMultiplier ? (
        <span className="max-xl:hidden">
          <Points collection={collection} />
        </span>
      ) : null}
      <span className="-ml-2">
        <FavouriteStar collection={collection} starred={row.favourite} />
      </span>
    </div>
  );
}

export function OrdersButton({
  row,
  onOpen,
  short = false,
}: {
  row: MarketRow;
  onOpen: () => void;
  short?: boolean;
}) {
  const count = row.quotes.offerCount;
  return (
    <button
      type="button"
      aria-label={`Orders of ${row.collection.collectionName}, ${count} active`}
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
      className={classNames(buttonClass({ variant: "quiet", size: "small" }), "px-2! font-normal!")}
    >
      <BookOpen size={14} aria-hidden />
      {!short && <span aria-hidden>Orders</span>}
      <span aria-hidden className="min-w-4 text-muted">
        {count}
      </span>
    </button>
  );
}

/** The button of a row. Borrowing needs an offer that the user can take; lending needs a collection that accepts offers. */
export function ActionButton({
  row,
  mode,
  onAction,
  wide = false,
}: {
  row: MarketRow;
  mode: Mode;
  onAction: (collection: Collection) => void;
  wide?: boolean;
}) {
  const disabled = mode === "borrow" ? row.quotes.bestOffer === null : !row.collection.isLendingAllowed;
  return (
    <button
      type="button"
      disabled={disabled}
      title={disabled ? (mode === "borrow" ? noOffersText(row) : "New offers are not taken here") : undefined}
      onClick={(event) => {
        event.stopPropagation();
        onAction(row.collection);
      }}
      className={classNames(
        buttonClass({ variant: "secondary", size: wide ? "medium" : "small", wide }),
        !disabled &&
          "group-hover/row:border-transparent group-hover/row:bg-accent group-hover/row:text-on-accent hover:bg-accent-hover! focus-visible:border-transparent focus-visible:bg-accent focus-visible:text-on-accent",
      )}
    >
      {mode === "borrow" ? "Borrow" : "Lend"}
    </button>
  );
}

function noOffersText({ quotes }: MarketRow): string {
  return quotes.offerCount > 0 ? "The only offers here are yours" : "No offers to borrow from yet";
}
