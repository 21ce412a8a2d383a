import type { KeyboardEvent, PointerEvent, ReactNode, RefObject } from "react";
import { nearestPoint, nextIndex } from "./chart-cursor";
import { classNames } from "./class-names";

interface Point {
  x: number;
  y: number;
}

interface ChartFrameProps {
  frame: RefObject<HTMLDivElement | null>;
  label: string;
  /** The read-out in words. */
  valueText: string;
  points: ReadonlyArray<Pick<Point, "x">>;
  /** Index of the point that is read out. */
  at: number;
  width: number;
  height: number;
  className?: string;
  /** Called when another point is to be read out; null for the one at rest. */
  onIndex: (index: number | null) => void;
  children: ReactNode;
}

/** The frame of a chart along its horizontal axis, with a read-out that pointer and keyboard move. */
export function ChartFrame({
  frame,
  label,
  valueText,
  points,
  at,
  width,
  height,
  className,
  onIndex,
  children,
}: ChartFrameProps) {
  const last = points.length - 1;

  function follow(event: PointerEvent<HTMLDivElement>) {
    onIndex(nearestPoint(points, event.clientX - event.currentTarget.getBoundingClientRect().left));
  }

  function move(event: KeyboardEvent) {
    const next = nextIndex(event.key, at, last);
    if (next === null) return;
    event.preventDefault();
    onIndex(next);
  }

  return (
    <div
      ref={frame}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={valueText}
      onKeyDown={move}
      onPointerMove={follow}
      onPointerDown={follow}
      onPointerLeave={() => onIndex(null)}
      onBlur={() => onIndex(null)}
      data-base-ui-swipe-ignore
      className={classNames("relative touch-pan-y cursor-crosshair rounded-control", className)}
      style={{ height }}
    >
      <svg width={width} height={height} aria-hidden className="absolute inset-0 overflow-visible">
        {children}
      </svg>
    </div>
  );
}

/** The levels of a chart, each with its label to the left. */
export function ChartLevels({
  levels,
  left,
  right,
}: {
  levels: ReadonlyArray<{ y: number; label: string }>;
  left: number;
  right: number;
}) {
  return levels.map(({ y, label }) => (
    <g key={y} transform={`translate(0 ${y})`}>
      <line x1={left} x2={right} stroke="var(--line)" />
      <text x={left - 8} dy="0.34em" textAnchor="end" className="fill-muted text-xs">
        {label}
      </text>
    </g>
  ));
}

/** The labels below a chart. */
export function ChartTicks({
  ticks,
  y,
}: {
  ticks: ReadonlyArray<{ at: number; label: string }>;
  /** The baseline of the text. */
  y: number;
}) {
  return ticks.map(({ at, label }) => (
    <text key={at} data-tick x={at} y={y} textAnchor="middle" className="fill-muted text-xs">
      {label}
    </text>
  ));
}

/** The vertical line through the point that is read out. */
export function ChartRule({ x, top, bottom }: { x: number; top: number; bottom: number }) {
  return <line x1={x} x2={x} y1={top} y2={bottom} stroke="var(--line-strong)" />;
}

/** The line itself, in the colour of the text. */
export function ChartLine({ path, dashes }: { path: string; dashes?: string }) {
  return (
    <path
      d={path}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinejoin="round"
      strokeDasharray={dashes}
    />
  );
}

/** The point that is read out. */
export function ChartMark({ point }: { point: Point }) {
  return (
    <circle cx={point.x} cy={point.y} r="3.5" fill="currentColor" stroke="var(--surface)" strokeWidth="2" />
  );
}

/** The chart as a table, for screen readers. */
export function ChartTable({
  caption,
  heads,
  rows,
}: {
  caption: string;
  heads: readonly string[];
  /** A cell for each head: moment and value for example, the oldest first. */
  rows: ReadonlyArray<readonly string[]>;
}) {
  return (
    <div className="relative h-0 overflow-hidden">
      <table className="sr-only">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows hold text only, and no state that could move.
            <tr key={row}>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position.
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
