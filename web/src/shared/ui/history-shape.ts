import { extent } from "d3-array";
import { scaleLinear, scaleTime } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import type { ChartBox } from "./chart-box";

/** A figure from a time on; null while there was none. */
export interface HistoryPoint {
  atMs: number;
  value: number | null;
}

export interface HistoryShape {
  line: string;
  /** Position of each point; at the bottom where there is no value. */
  points: ReadonlyArray<{ x: number; y: number }>;
  ticks: ReadonlyArray<{ value: number; y: number }>;
  /** Position of the limit; null without one. */
  limitY: number | null;
}

const TICKS = 3;

/**
 * The shape of a step chart: each value holds until the next. `limit` is a figure of the same kind, drawn as
 * a line. A rank is better the smaller it is, so it is drawn upside down, and in whole numbers.
 */
export function historyShape(
  history: readonly HistoryPoint[],
  box: ChartBox,
  { limit, isRank }: { limit: number | null; isRank: boolean },
): HistoryShape {
  const values = history.flatMap(({ value }) => value ?? []);
  const [low = 0, high = 1] = extent(limit === null ? values : [...values, limit]);
  const room = Math.max((high - low) * 0.1, isRank ? 1 : high * 0.02, 0.01);
  const floor = low < 0 ? low - room : Math.max(0, low - room);
  const domain = isRank ? [high + 1, Math.max(1, low - 1)] : [floor, high + room];
  const y = scaleLinear(domain, [box.height - box.bottom, box.top]);
  const from = history[0]?.atMs ?? 0;
  const to = Math.max(history.at(-1)?.atMs ?? 1, from + 1);
  const x = scaleTime([from, to], [box.left, Math.max(box.left, box.width - box.right)]);
  const points = history.map(({ atMs, value }) => ({ x: x(atMs), y: y(value ?? (isRank ? high + 1 : low)) }));
  const draw = line<HistoryPoint>(
    ({ atMs }) => x(atMs),
    ({ value }) => y(value ?? low),
  )
    .defined(({ value }) => value !== null)
    .curve(curveStepAfter);
  const ticks = y.ticks(TICKS).filter((value) => !isRank || (Number.isInteger(value) && value >= 1));
  return {
    line: draw([...history]) ?? "",
    points,
    ticks: ticks.map((value) => ({ value, y: y(value) })),
    limitY: limit === null ? null : y(limit),
  };
}
