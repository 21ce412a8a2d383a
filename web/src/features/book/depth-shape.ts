import { scaleLinear } from "d3-scale";
import { area, type CurveFactory, curveStepAfter, curveStepBefore, line } from "d3-shape";
import type { ChartBox } from "@/shared/ui/chart-box";
import type { DepthLevel } from "./book-depth";

interface SideShape {
  line: string;
  area: string;
}

export interface DepthShape {
  /** Null for a side without anything open. */
  offers: SideShape | null;
  requests: SideShape | null;
  /** Position of each level. */
  points: ReadonlyArray<{ x: number }>;
  xTicks: ReadonlyArray<{ x: number; percent: number }>;
  yTicks: ReadonlyArray<{ y: number; sats: bigint }>;
  x: (ltvBps: number) => number;
  y: (sats: bigint) => number;
}

const Y_TICKS = 4;
/** Width for each label of the horizontal axis. */
const X_TICK_PX = 70;
/** Share of the range that is left beside the outermost steps, and its least width. */
const MARGIN = 0.05;
const MARGIN_BPS_MIN = 100;

/** A point of a side's outline. */
interface Corner {
  ltvBps: number;
  sats: bigint;
}

/** The two ladders as shapes over one axis; sats become inexact numbers only for drawing. */
export function depthShape(levels: readonly DepthLevel[], box: ChartBox): DepthShape {
  const lowest = levels[0]?.ltvBps ?? 0;
  const highest = levels.at(-1)?.ltvBps ?? 0;
  const margin = Math.max(MARGIN_BPS_MIN, (highest - lowest) * MARGIN);
  const [from, to] = [Math.max(0, lowest - margin), highest + margin];
  const offered = levels[0]?.offeredSats ?? 0n;
  const requested = levels.at(-1)?.requestedSats ?? 0n;
  const most = offered > requested ? offered : requested;

  const xScale = scaleLinear(
    [from / 100, to / 100],
    [box.left, Math.max(box.left, box.width - box.right)],
  ).clamp(true);
  const yScale = scaleLinear([0, Math.max(1, Number(most))], [box.height - box.bottom, box.top]).nice(
    Y_TICKS,
  );
  const x = (ltvBps: number) => xScale(ltvBps / 100);
  const y = (sats: bigint) => yScale(Number(sats));

  const draw = (corners: readonly Corner[], curve: CurveFactory): SideShape => {
    const at = (corner: Corner) => x(corner.ltvBps);
    const height = (corner: Corner) => y(corner.sats);
    return {
      line: line(at, height).curve(curve)([...corners]) ?? "",
      area: area(at, y(0n), height).curve(curve)([...corners]) ?? "",
    };
  };
  return {
    offers: offered > 0n ? draw(offerCorners(levels, from), curveStepBefore) : null,
    requests: requested > 0n ? draw(requestCorners(levels, to), curveStepAfter) : null,
    points: levels.map(({ ltvBps }) => ({ x: x(ltvBps) })),
    xTicks: xScale
      .ticks(Math.max(2, Math.floor((box.width - box.left) / X_TICK_PX)))
      .map((percent) => ({ x: xScale(percent), percent })),
    yTicks: yScale.ticks(Y_TICKS).map((sats) => ({ y: yScale(sats), sats: BigInt(Math.round(sats)) })),
    x,
    y,
  };
}

/** All offers at the left edge, fewer towards the best one, and none beyond it. */
function offerCorners(levels: readonly DepthLevel[], fromBps: number): Corner[] {
  const steps = levels
    .filter(({ offeredSats }) => offeredSats > 0n)
    .map(({ ltvBps, offeredSats }) => ({ ltvBps, sats: offeredSats }));
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return [];
  return [{ ...first, ltvBps: fromBps }, ...steps, { ...last, sats: 0n }];
}

/** No request below the lowest one, more above it, and all of them at the right edge. */
function requestCorners(levels: readonly DepthLevel[], toBps: number): Corner[] {
  const steps = levels
    .filter(({ requestedSats }) => requestedSats > 0n)
    .map(({ ltvBps, requestedSats }) => ({ ltvBps, sats: requestedSats }));
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last) return [];
  return [{ ...first, sats: 0n }, ...steps, { ...last, ltvBps: toBps }];
}
