import { useMemo, useRef, useState } from "react";
import { formatMoment } from "@/shared/format/age";
import { ChartFrame, ChartLevels, ChartLine, ChartMark, ChartTable } from "./chart-frame";
import { type HistoryPoint, historyShape } from "./history-shape";
import { useElementWidth } from "./use-element-width";

export const HISTORY_HEIGHT_PX = 132;
const EDGES = { top: 10, right: 10, bottom: 22, left: 50 };

interface HistoryChartProps {
  /** At least two points, the oldest first. */
  history: readonly HistoryPoint[];
  /** Name of the figure: `LTV` or `Rank`. */
  name: string;
  format: (value: number | null) => string;
  isRank?: boolean;
  /** A limit that the figure should stay below, and its name. */
  limit?: { value: number; name: string } | null;
}

/**
 * A figure over time, with a read-out that pointer and keyboard move, and as a table for screen
 * readers.
 */
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
      <ChartFrame
        frame={frame}
        label={`${name} over time`}
        valueText={`${format(shown.value)}, ${formatMoment(shown.atMs)}`}
        points={shape.points}
        at={at}
        width={width}
        height={HISTORY_HEIGHT_PX}
        className="text-text"
        onIndex={setIndex}
      >
        <ChartLevels
          levels={shape.ticks.map(({ value, y }) => ({ y, label: format(value) }))}
          left={EDGES.left}
          right={width - EDGES.right}
        />
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
        <ChartLine path={shape.line} />
        {shown.value !== null && <ChartMark point={place} />}
      </ChartFrame>
      <ChartTable
        caption={`${name} over time`}
        heads={["Since", name]}
        rows={history.map(({ atMs, value }) => [formatMoment(atMs), format(value)])}
      />
    </div>
  );
}

const DAY_MS = 86_400_000;

/** The two ends of the axis; a range that began today includes the hour. */
function TimeLabels({ history, width }: { history: readonly HistoryPoint[]; width: number }) {
  const first = history[0]?.atMs ?? 0;
  const isShort = (history.at(-1)?.atMs ?? 0) - first < DAY_MS;
  const startDate = new Date(first).toLocaleString(
    "en-GB",
    isShort ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
  return (
    <g className="fill-muted text-xs">
      <text x={EDGES.left} y={HISTORY_HEIGHT_PX - 4}>
        {startDate}
      </text>
      <text x={width - EDGES.right} y={HISTORY_HEIGHT_PX - 4} textAnchor="end">
        now
      </text>
    </g>
  );
}
