import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { nearestPoint, nextIndex } from "@/shared/ui/chart-cursor";
import { useElementWidth } from "@/shared/ui/use-element-width";
import { historyShape } from "./history-shape";
import type { HistoryPoint } from "./offer-history";

export const HISTORY_HEIGHT_PX = 132;
const EDGES = { top: 10, right: 10, bottom: 22, left: 50 };

interface HistoryChartProps {
  /** Two points at least, the oldest first. */
  history: readonly HistoryPoint[];
  /** What is drawn: `LTV` or `Rank`. */
  name: string;
  format: (value: number | null) => string;
  isRank?: boolean;
  /** A line that the figure should stay below, and its name. */
  limit?: { value: number; name: string } | null;
}

/** A figure of an offer over time, with a read-out that pointer and keyboard move, and as a table for who sees neither. */
export default function HistoryChart({
  history,
  name,
  format,
  isRank = false,
  limit = null,
}: HistoryChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useElementWidth(frame);
  const [index, setIndex] = useState<number | null>(null);
  const limitValue = limit?.value ?? null;
  const shape = useMemo(
    () =>
      historyShape(history, { ...EDGES, width, height: HISTORY_HEIGHT_PX }, { limit: limitValue, isRank }),
    [history, width, limitValue, isRank],
  );
  const last = history.length - 1;
  const at = Math.min(index ?? last, last);
  const shown = history[at];
  const place = shape.points[at];
  if (!shown || !place) return null;

  function follow(event: PointerEvent<HTMLDivElement>) {
    setIndex(nearestPoint(shape.points, event.clientX - event.currentTarget.getBoundingClientRect().left));
  }

  function move(event: KeyboardEvent) {
    const next = nextIndex(event.key, at, last);
    if (next === null) return;
    event.preventDefault();
    setIndex(next);
  }

  return (
    <div>
      <p className="flex h-6 items-baseline gap-2 text-sm">
        <span data-testid="history-read-out" className="font-strong">
          {format(shown.value)}
        </span>
        <span className="ml-auto truncate text-xs text-muted">
          {index === null ? "now" : formatMoment(shown.atMs)}
        </span>
      </p>
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={`${name} over time`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={`${format(shown.value)}, ${formatMoment(shown.atMs)}`}
        onKeyDown={move}
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={() => setIndex(null)}
        onBlur={() => setIndex(null)}
        data-base-ui-swipe-ignore
        className="relative touch-pan-y cursor-crosshair rounded-control"
        style={{ height: HISTORY_HEIGHT_PX }}
      >
        <svg
          width={width}
          height={HISTORY_HEIGHT_PX}
          aria-hidden
          className="absolute inset-0 overflow-visible"
        >
          {shape.ticks.map(({ value, y }) => (
            <g key={value} transform={`translate(0 ${y})`}>
              <line x1={EDGES.left} x2={width - EDGES.right} stroke="var(--line)" />
              <text x={EDGES.left - 8} dy="0.34em" textAnchor="end" className="fill-muted text-xs">
                {format(value)}
              </text>
            </g>
          ))}
          <TimeLabels history={history} width={width} />
          {limit && shape.limitY !== null && (
            <g transform={`translate(0 ${shape.limitY})`}>
              <line
                x1={EDGES.left}
                x2={width - EDGES.right}
                stroke="var(--warn)"
                strokeWidth="1.25"
                strokeDasharray="4 4"
              />
              <text x={width - EDGES.right} y={-4} textAnchor="end" className="fill-warn text-xs">
                {limit.name}
              </text>
            </g>
          )}
          <path d={shape.line} fill="none" stroke="var(--accent)" strokeWidth="1.75" strokeLinejoin="round" />
          {shown.value !== null && (
            <circle
              cx={place.x}
              cy={place.y}
              r="3.5"
              fill="var(--accent)"
              stroke="var(--surface)"
              strokeWidth="2"
            />
          )}
        </svg>
      </div>
      <HistoryTable history={history} name={name} format={format} />
    </div>
  );
}

const DAY_MS = 86_400_000;

/** The two ends; what began today says the hour. */
function TimeLabels({ history, width }: { history: readonly HistoryPoint[]; width: number }) {
  const first = history[0]?.atMs ?? 0;
  const isShort = (history.at(-1)?.atMs ?? 0) - first < DAY_MS;
  const began = new Date(first).toLocaleString(
    "en-GB",
    isShort ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
  return (
    <g className="fill-muted text-xs">
      <text x={EDGES.left} y={HISTORY_HEIGHT_PX - 4}>
        {began}
      </text>
      <text x={width - EDGES.right} y={HISTORY_HEIGHT_PX - 4} textAnchor="end">
        now
      </text>
    </g>
  );
}

function HistoryTable({ history, name, format }: Pick<HistoryChartProps, "history" | "name" | "format">) {
  return (
    <div className="relative h-0 overflow-hidden">
      <table className="sr-only">
        <caption>{name} over time</caption>
        <thead>
          <tr>
            <th scope="col">Since</th>
            <th scope="col">{name}</th>
          </tr>
        </thead>
        <tbody>
          {history.map(({ atMs, value }, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: points are only added at the end.
            <tr key={row}>
              <td>{formatMoment(atMs)}</td>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
