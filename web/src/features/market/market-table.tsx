import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { classNames } from "@/shared/ui/class-names";
import { useDocumentTop } from "@/shared/ui/use-document-top";
import type { MarketColumn } from "./market-columns";
import type { MarketRow } from "./market-rows";
import { MarketTableRow, type RowActions } from "./market-table-row";
import { type MarketView, nextSort, type Sort, type SortKey } from "./market-view";

const ROW_HEIGHT_PX = 56;
const OVERSCAN = 8;

interface MarketTableProps extends RowActions {
  rows: MarketRow[];
  columns: MarketColumn[];
  view: MarketView;
  onSort: (sort: Sort) => void;
  /** The table's caption, for screen readers. */
  caption: string;
}

/** The market as a table that renders only visible rows. */
export function MarketTable({ rows, columns, view, onSort, caption, ...actions }: MarketTableProps) {
  const frame = useRef<HTMLDivElement>(null);
  const top = useDocumentTop(frame);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  const width = columns.reduce((sum, column) => sum + column.width, 0);

  return (
    <div ref={frame}>
      <table
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed border-separate border-spacing-0"
        onKeyDown={(event) => moveBetweenRows(event, rows.length, (index) => virtual.scrollToIndex(index))}
      >
        <caption className="sr-only">{caption}</caption>
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={{ width: `${(column.width / width) * 100}%` }} />
          ))}
        </colgroup>
        <thead className="sticky top-14 z-20">
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <ColumnHead key={column.id} column={column} sort={view.sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} span={columns.length} />}
          {items.map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <MarketTableRow
                  key={row.collection.id}
                  row={row}
                  index={item.index}
                  columns={columns}
                  view={view}
                  {...actions}
                />
              )
            );
          })}
          {after > 0 && <Spacer height={after} span={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

function ColumnHead({
  column,
  sort,
  onSort,
}: {
  column: MarketColumn;
  sort: Sort;
  onSort: (sort: Sort) => void;
}) {
  const left = column.id === "name";
  const sorted = column.sortable && sort.key === column.id;
  const Icon = !sorted ? ChevronsUpDown : sort.descending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={
        !column.sortable ? undefined : sorted ? (sort.descending ? "descending" : "ascending") : "none"
      }
      className={classNames(
        "h-10 border-b border-line bg-ground px-1.5 text-xs font-normal first:pl-2 last:pr-2 xl:px-2 whitespace-nowrap text-muted",
        left ? "text-left" : "text-right",
      )}
    >
      {column.sortable ? (
        <button
          type="button"
          onClick={() => onSort(nextSort(sort, column.id as SortKey))}
          className={classNames(
            "group inline-flex h-8 items-center gap-1 rounded-control transition-colors hover:text-text",
            sorted && "text-text",
            !left && "flex-row-reverse",
          )}
        >
          {column.label}
          <Icon
            size={12}
            aria-hidden
            className={
              sorted ? undefined : "opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
            }
          />
        </button>
      ) : (
        <span className={column.id === "action" ? "sr-only" : undefined}>{column.label}</span>
      )}
    </th>
  );
}

function Spacer({ height, span }: { height: number; span: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={span} />
    </tr>
  );
}

function moveBetweenRows(event: KeyboardEvent, count: number, scrollTo: (index: number) => void): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const current = (event.target as HTMLElement).closest<HTMLElement>("[data-row-index]");
  if (!current) return;
  const next = Number(current.dataset.rowIndex) + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0 || next >= count) return;
  event.preventDefault();
  const table = event.currentTarget;
  const focus = () => table.querySelector<HTMLElement>(`[data-row-index="${next}"] [data-row-open]`)?.focus();
  if (table.querySelector(`[data-row-index="${next}"]`)) focus();
  else {
    scrollTo(next);
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }
}
