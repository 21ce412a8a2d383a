import { scaleLinear, scaleTime } from "d3-scale";
import { area, curveStepAfter, line } from "d3-shape";
import { useRef } from "react";
import { formatDayMonth } from "@/shared/format/age";
import { formatBtcShort } from "@/shared/format/sats";
import { useElementWidth } from "@/shared/ui/use-element-width";
import type { SeriesPoint } from "./portfolio-series";

const HEIGHT_PX = 150;
const EDGES = { top: 10, right: 8, bottom: 22, left: 64 };
const TICKS = 3;

/** A sum over time as a step chart. Its content is in `label` and in the figure above it. */
export default function SeriesChart({ points, label }: { points: readonly SeriesPoint[]; label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useElementWidth(frame);
  const first = points[0]?.atMs ?? 0;
  const last = points.at(-1)?.atMs ?? 1;
  const most = Math.max(...points.map(({ sats }) => Number(sats)), 1);
  // Sats become inexact numbers only for drawing.
  const x = scaleTime(
    [first, Math.max(last, first + 1)],
    [EDGES.left, Math.max(EDGES.left, width - EDGES.right)],
  );
  const y = scaleLinear([0, most], [HEIGHT_PX - EDGES.bottom, EDGES.top]).nice(TICKS);
  const at = (point: SeriesPoint) => x(point.atMs);
  const height = (point: SeriesPoint) => y(Number(point.sats));
  const path = line(at, height).curve(curveStepAfter)([...points]) ?? "";
  const filled = area(at, y(0), height).curve(curveStepAfter)([...points]) ?? "";
  return (
    <div ref={frame} style={{ height: HEIGHT_PX }}>
      <svg role="img" aria-label={label} width={width} height={HEIGHT_PX}>
        {y.ticks(TICKS).map((tick) => (
          <g key={tick} transform={`translate(0 ${y(tick)})`}>
            <line x1={EDGES.left} x2={width - EDGES.right} stroke="var(--line)" />
            <text x={EDGES.left - 8} dy="0.34em" textAnchor="end" className="fill-muted text-xs">
              {tick === 0 ? "0" : formatBtcShort(BigInt(Math.round(tick)))}
            </text>
          </g>
        ))}
        {[first, last].map((moment, index) => (
          <text
            key={moment}
            x={x(moment)}
            y={HEIGHT_PX - 4}
            textAnchor={index === 0 ? "start" : "end"}
            className="fill-muted text-xs"
          >
            {index === 0 ? formatDayMonth(moment) : "now"}
          </text>
        ))}
        <path d={filled} fill="var(--line)" opacity="0.6" />
        <path d={path} fill="none" stroke="var(--text-soft)" strokeWidth="1.75" strokeLinejoin="round" />
      </svg>
    </div>
  );
}
