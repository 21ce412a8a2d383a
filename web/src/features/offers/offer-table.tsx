import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useRef } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { CheckBox } from "@/shared/ui/check-box";
import { classNames } from "@/shared/ui/class-names";
import { useDocumentTop } from "@/shared/ui/use-document-top";
import type { OfferHandlers } from "./offer-actions";
import { COLUMNS, type OfferView, type SortColumn, toggledSort } from "./offer-filter";
import { OfferRow } from "./offer-row";

const ROW_HEIGHT_PX = 56;
const OVERSCAN = 8;
/**
 * The columns in their order: the checkbox, the six sortable ones, the rank, the actions. Each is as wide as
 * its longest usual content on the narrowest screen of its kind with a scroll bar, 1024 and 1280 px; extra
 * width is shared among all.
 */
const WIDTHS = [
  "w-8.5 xl:w-10",
  "w-48 xl:w-72",
  "w-23 xl:w-26",
  "w-17.5 xl:w-21",
  "w-14 xl:w-16",
  "w-17 xl:w-21",
  "w-22.5 xl:w-26",
  "w-46 xl:w-56",
  "w-43 xl:w-54",
];

export interface OfferCollectionProps extends OfferHandlers {
  offers: MyOffer[];
  selected: ReadonlySet<string>;
  onSelect: (offerId: string, isSelected: boolean) => void;
  view: OfferView;
  onView: (view: OfferView) => void;
}

interface OfferTableProps extends OfferCollectionProps {
  onSelectAll: (isSelected: boolean) => void;
}

/** The offers on a wide screen. Only visible rows are rendered: a lender may have thousands. */
export function OfferTable(props: OfferTableProps) {
  const { offers, selected, onSelect, onEdit, onCancel, onOpen, onUpdate } = props;
  const frame = useRef<HTMLTableElement>(null);
  const top = useDocumentTop(frame);
  const virtual = useWindowVirtualizer({
    count: offers.length,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => offers[index]?.offerId ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top);

  return (
    <table
      ref={frame}
      aria-rowcount={offers.length + 1}
      className="w-full table-fixed border-separate border-spacing-0"
    >
      <caption className="sr-only">Your offers</caption>
      <colgroup>
        {WIDTHS.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their order.
          <col key={index} className={width} />
        ))}
      </colgroup>
      <TableHead {...props} />
      <tbody>
        {before > 0 && <Spacer height={before} />}
        {items.map((item) => {
          const offer = offers[item.index];
          return (
            offer && (
              <OfferRow
                key={offer.offerId}
                offer={offer}
                index={item.index}
                isSelected={selected.has(offer.offerId)}
                onSelect={onSelect}
                onEdit={onEdit}
                onCancel={onCancel}
                onOpen={onOpen}
                onUpdate={onUpdate}
              />
            )
          );
        })}
        {after > 0 && <Spacer height={after} />}
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={WIDTHS.length} />
    </tr>
  );
}

const HEAD =
  "h-10 border-b border-line bg-ground px-1.5 text-xs font-normal whitespace-nowrap text-muted xl:px-2";

function TableHead({ offers, selected, onSelectAll, view, onView }: OfferTableProps) {
  const isAll = offers.length > 0 && offers.every(({ offerId }) => selected.has(offerId));
  return (
    <thead className="sticky top-14 z-20">
      <tr aria-rowindex={1}>
        <th scope="col" className={HEAD}>
          <CheckBox checked={isAll} onChange={onSelectAll}>
            <span className="sr-only">Select all offers shown</span>
          </CheckBox>
        </th>
        {COLUMNS.map(({ column, label }) => (
          <SortHead key={column} column={column} label={label} view={view} onView={onView} />
        ))}
        <th scope="col" className={classNames(HEAD, "text-right")}>
          Rank
        </th>
        <th scope="col" className={HEAD}>
          <span className="sr-only">Action</span>
        </th>
      </tr>
    </thead>
  );
}

function SortHead({
  column,
  label,
  view,
  onView,
}: Pick<OfferTableProps, "view" | "onView"> & { column: SortColumn; label: string }) {
  const sort = view.sort?.column === column ? view.sort : null;
  const Icon = !sort ? ChevronsUpDown : sort.descending ? ArrowDown : ArrowUp;
  const isLeft = column === "collection";
  return (
    <th
      scope="col"
      aria-sort={sort ? (sort.descending ? "descending" : "ascending") : "none"}
      className={classNames(HEAD, isLeft ? "text-left" : "text-right")}
    >
      <button
        type="button"
        onClick={() => onView(toggledSort(view, column))}
        className={classNames(
          "group inline-flex h-8 items-center gap-1 rounded-control transition-colors hover:text-text",
          sort && "text-text",
          !isLeft && "flex-row-reverse",
        )}
      >
        {label}
        <Icon
          size={12}
          aria-hidden
          className={sort ? undefined : "opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"}
        />
      </button>
    </th>
  );
}
