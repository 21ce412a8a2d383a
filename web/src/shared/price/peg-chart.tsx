import { useRef } from "react";
import type { CollateralType } from "@/shared/api/collection";
import { lentFrom, type PegBounds, type PegLevel } from "@/shared/api/peg";
import { formatBtcExact } from "@/shared/format/sats";
import { ChartLevels, ChartLine, ChartMark } from "@/shared/ui/chart-frame";
import { useElementWidth } from "@/shared/ui/use-element-width";
import { pegShape } from "./peg-shape";
import { priceBelow, priceFrom, priceName } from "./peg-text";

const HEIGHT_PX = 104;
const EDGES = { top: 10, right: 12, bottom: 24, left: 76 };
/** Below this distance the labels of the two prices would overlap. */
const LABEL_GAP_PX = 116;

/** The principal against the floor as steps, with the current point. */
export function PegChart({
  bounds,
  level,
  price,
  type,
}: {
  bounds: PegBounds;
  level: PegLevel;
  /** The current unit price. */
  price: bigint;
  type: CollateralType;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useElementWidth(frame);
  const shape = pegShape(bounds, level.principalSats, price, { ...EDGES, width, height: HEIGHT_PX });
  const pausesBelow = priceBelow(lentFrom(bounds, bounds.minSats), type);
  const largestFrom = priceFrom(lentFrom(bounds, bounds.maxSats), type);
  const least = formatBtcExact(bounds.minSats);
  const largest = formatBtcExact(bounds.maxSats);
  const bottom = HEIGHT_PX - EDGES.bottom;
  const isRange = bounds.minSats < bounds.maxSats;
  const levels = [{ y: shape.leastY, label: least }];
  if (isRange) levels.push({ y: shape.largestY, label: largest });
  const name = priceName(type);
  const now = level.isBelow ? "now paused" : `now ${formatBtcExact(level.principalSats)} BTC`;
  return (
    <div
      ref={frame}
      role="img"
      aria-label={`Principal against the ${name}: ${least} BTC from a ${name} of ${pausesBelow}, up to ${largest} BTC from ${largestFrom}, ${now}`}
      style={{ height: HEIGHT_PX }}
      className="relative text-text"
    >
      <svg width={width} height={HEIGHT_PX} aria-hidden className="absolute inset-0 overflow-visible">
        <ChartLevels levels={levels} left={EDGES.left} right={width - EDGES.right} />
        {/* Where the offer is paused. */}
        <rect
          x={EDGES.left}
          y={EDGES.top}
          width={Math.max(0, shape.pausesX - EDGES.left)}
          height={bottom - EDGES.top}
          className="fill-raised"
        />
        <line x1={EDGES.left} x2={width - EDGES.right} y1={bottom} y2={bottom} stroke="var(--line)" />
        <line
          x1={shape.now.x}
          x2={shape.now.x}
          y1={EDGES.top}
          y2={bottom}
          stroke="var(--line-strong)"
          strokeDasharray="3 3"
        />
        <ChartLine path={shape.line} />
        {!level.isBelow && <ChartMark point={shape.now} />}
        <g className="fill-muted text-xs">
          <text x={shape.pausesX} y={HEIGHT_PX - 6} textAnchor="middle">
            {name} {pausesBelow}
          </text>
          {shape.largestX - shape.pausesX > LABEL_GAP_PX && (
            <text x={shape.largestX} y={HEIGHT_PX - 6} textAnchor="middle">
              {largestFrom}
            </text>
          )}
        </g>
      </svg>
    </div>
  );
}
