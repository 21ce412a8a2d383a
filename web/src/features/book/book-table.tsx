import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { classNames } from "@/shared/ui/class-names";

const ROW_HEIGHT_PX = 48;

export interface BookColumn<Line> {
  id: string;
  label: string;
  /** Share of the width. */
  width: number;
  align?: "left" | "right";
  /** The label is for screen readers only. */
  hideLabel?: boolean;
  cell: (line: Line) => ReactNode;
}

interface BookTableProps<Line> {
  caption: string;
  lines: readonly Line[];
  columns: ReadonlyArray<BookColumn<Line>>;
  idOf: (line: Line) => string;
  rowClass?: (line: Line) => string;
  rowProps?: (line: Line) => Record<string, string | undefined>;
  /** Drawn behind the row. */
  backdrop?: (line: Line) => ReactNode;
  empty: string;
  /** The line to scroll to on opening, if it exists. */
  openAt?: string | null;
}

/**
 * A live list: only visible rows are rendered, new ones slide in, and none moves away from under the pointer.
 */
export function BookTable<Line>(props: BookTableProps<Line>) {
  const { caption, columns, idOf, rowClass, rowProps, backdrop, empty, openAt = null } = props;
  const scroller = useRef<HTMLElement>(null);
  const { lines, hold } = useFrozenWhilePressed(props.lines);
  const fresh = useFreshIds(lines, idOf);
  const hover = useSteadyPointer(scroller, lines, idOf);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed list must not move the scroll.
  useLayoutEffect(() => {
    const index = openAt === null ? -1 : lines.findIndex((line) => idOf(line) === openAt);
    if (index >= 0) virtual.scrollToIndex(index, { align: "center" });
  }, []);
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const total = columns.reduce((sum, column) => sum + column.width, 0);

  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
      tabIndex={0}
      aria-label={caption}
      className="h-full overflow-y-auto overscroll-contain -outline-offset-2"
      onPointerDown={hold}
      {...hover}
    >
      <table aria-rowcount={lines.length + 1} className="w-full table-fixed border-separate border-spacing-0">
        <caption className="sr-only">{caption}</caption>
        <colgroup>
          {columns.map((column) => (
            <col key={column.id} style={{ width: `${(column.width / total) * 100}%` }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10">
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classNames(
                  "h-9 border-b border-line bg-surface px-3 text-xs max-md:px-2 max-md:first:pl-5 max-md:last:pr-5 font-normal whitespace-nowrap text-muted",
                  column.align === "left" ? "text-left" : "text-right",
                )}
              >
                <span className={column.hideLabel ? "sr-only" : undefined}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} span={columns.length} />}
          {items.map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            const id = idOf(line);
            return (
              <tr
                key={id}
                data-line={id}
                aria-rowindex={item.index + 2}
                {...rowProps?.(line)}
                className={classNames(
                  "relative z-0 h-12 hover:bg-raised",
                  fresh.has(id) && "animate-appear",
                  rowClass?.(line),
                )}
              >
                {columns.map((column, position) => (
                  <td
                    key={column.id}
                    className={classNames(
                      "h-12 border-b border-line px-3 whitespace-nowrap max-md:px-2 max-md:first:pl-5 max-md:last:pr-5",
                      column.align === "left" ? "text-left" : "text-right",
                    )}
                  >
                    {position === 0 && backdrop?.(line)}
                    {column.cell(line)}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} span={columns.length} />}
        </tbody>
      </table>
      {lines.length === 0 && <p className="px-4 py-12 text-center text-sm text-muted">{empty}</p>}
    </section>
  );
}

function Spacer({ height, span }: { height: number; span: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={span} />
    </tr>
  );
}

/**
 * Ids that joined with the last change of the list; none at first, so that an opened book does not slide in
 * as a whole.
 */
function useFreshIds<Line>(lines: readonly Line[], idOf: (line: Line) => string): ReadonlySet<string> {
  const [rowIds, setRowIds] = useState(() => ({
    lines,
    ids: new Set(lines.map(idOf)),
    fresh: new Set<string>(),
  }));
  if (rowIds.lines !== lines) {
    const ids = new Set(lines.map(idOf));
    setRowIds({ lines, ids, fresh: new Set([...ids].filter((id) => !rowIds.ids.has(id))) });
  }
  return rowIds.fresh;
}

/** The click of a touch follows some time after the finger is up, and belongs to the press. */
const CLICK_FOLLOWS_MS = 400;

/** The lines as they were when the pointer went down, until its click is over: a press applies to one row. */
function useFrozenWhilePressed<Line>(current: readonly Line[]) {
  const [frozen, setFrozen] = useState<readonly Line[] | null>(null);
  useEffect(() => {
    if (frozen === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const releaseIn = (ms: number) => () => {
      clearTimeout(timer);
      timer = setTimeout(() => setFrozen(null), ms);
    };
    const ends = {
      pointerdown: () => clearTimeout(timer),
      pointerup: releaseIn(CLICK_FOLLOWS_MS),
      click: releaseIn(0),
      pointercancel: releaseIn(0),
      contextmenu: releaseIn(0),
    };
    for (const [name, end] of Object.entries(ends)) window.addEventListener(name, end, true);
    return () => {
      clearTimeout(timer);
      for (const [name, end] of Object.entries(ends)) window.removeEventListener(name, end, true);
    };
  }, [frozen]);
  const hold = ({ isPrimary, button }: React.PointerEvent) => {
    if (isPrimary && button === 0) setFrozen((held) => held ?? current);
  };
  return { lines: frozen ?? current, hold };
}

/**
 * Scrolls by the height of rows added or removed above the one under the pointer, which therefore stays
 * there.
 */
function useSteadyPointer<Line>(
  scroller: React.RefObject<HTMLElement | null>,
  lines: readonly Line[],
  idOf: (line: Line) => string,
) {
  const held = useRef<{ id: string; index: number } | null>(null);
  useLayoutEffect(() => {
    const before = held.current;
    if (!before || !scroller.current) return;
    const index = lines.findIndex((line) => idOf(line) === before.id);
    if (index < 0) {
      held.current = null;
      return;
    }
    if (index !== before.index) scroller.current.scrollTop += (index - before.index) * ROW_HEIGHT_PX;
    held.current = { id: before.id, index };
  }, [lines, idOf, scroller]);

  return {
    onPointerMove: (event: React.PointerEvent) => {
      const id = (event.target as HTMLElement).closest<HTMLElement>("[data-line]")?.dataset.line;
      if (id === held.current?.id) return;
      const index = id === undefined ? -1 : lines.findIndex((line) => idOf(line) === id);
      held.current = id !== undefined && index >= 0 ? { id, index } : null;
    },
    onPointerLeave: () => {
      held.current = null;
    },
  };
}
