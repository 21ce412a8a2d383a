import { extent } from "d3-array";
import { scaleLinear, scaleTime } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import type { CollateralType } from "@/shared/api/collection";
import type { PricePoint, PriceRange } from "@/shared/api/price-history";
import { formatPrice, PRICE_STEP_MIN } from "@/shared/price/price";
import type { ChartBox } from "@/shared/ui/chart-box";

const X_TICKS = 6;
const Y_TICKS = 4;

export interface Tick {
  at: number;
  label: string;
}

export interface ChartShape {
  line: string;
  area: string;
  xTicks: Tick[];
  yTicks: Tick[];
  /** Position of each point. */
  points: ReadonlyArray<{ x: number; y: number }>;
}

/** The chart as shapes and positions, ready to be drawn. */
export function chartShape(
  data: readonly PricePoint[],
  range: PriceRange,
  type: CollateralType,
  box: ChartBox,
): ChartShape {
  const floorY = box.height - box.bottom;
  const [from = 0, to = 1] = extent(data, ({ date }) => date);
  const x = scaleTime([from, to], [box.left, box.width - box.right]);
  const y = scaleLinear(priceDomain(data), [floorY, box.top]).nice(Y_TICKS);
  const place = ({ date, price }: PricePoint) => ({ x: x(date), y: y(price) });
  const points = data.map(place);
  const drawLine = line<{ x: number; y: number }>(
    (point) => point.x,
    (point) => point.y,
  ).curve(curveMonotoneX);
  const drawArea = area<{ x: number; y: number }>()
    .x((point) => point.x)
    .y0(floorY)
    .y1((point) => point.y)
    .curve(curveMonotoneX);
  return {
    line: drawLine(points) ?? "",
    area: drawArea(points) ?? "",
    xTicks: tickTimes(from, to).map((time) => ({ at: x(time), label: tickTime(time, range) })),
    yTicks: withoutRepeats(
      y.ticks(Y_TICKS).map((price) => ({ at: y(price), label: formatPrice(price, type) })),
    ),
    points,
  };
}

/** Six evenly spaced times, from the first price to the last. */
export function tickTimes(from: number, to: number): number[] {
  return Array.from({ length: X_TICKS }, (_, index) => from + ((to - from) * index) / (X_TICKS - 1));
}

/** Hours for ranges within a day, days within a season. */
function tickTime(time: number, range: PriceRange): string {
  const date = new Date(time);
  return range === "24h"
    ? date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

/** The range of the axis. A constant price, or one that moves less than can be drawn, is centred. */
function priceDomain(data: readonly PricePoint[]): [number, number] {
  const [low = 0, high = 0] = extent(data, ({ price }) => price);
  if (high - low > Math.max(PRICE_STEP_MIN, high * PRICE_STEP_MIN)) return [low, high];
  return high < PRICE_STEP_MIN ? [0, 1] : [low * 0.95, high * 1.05];
}

/** Removes ticks whose labels would be equal at five decimals. */
function withoutRepeats(ticks: Tick[]): Tick[] {
  return ticks.filter(({ label }, index) => label !== ticks[index - 1]?.label);
}
