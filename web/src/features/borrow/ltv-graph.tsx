import { max } from "d3-array";
import { scaleLinear, scalePow } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { useRef } from "react";
import { formatBps } from "@/shared/format/percent";
import { useElementWidth } from "@/shared/ui/use-element-width";

const HEIGHT = 136;
const MARGIN = { top: 10, right: 12, bottom: 24, left: 40 };
/** Positions of the labels below the graph, as shares of the maximum. */
const X_TICKS = [0, 0.25, 0.5, 0.75, 1] as const;
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
/** Exponent of the axis: the differences between high LTVs matter most, so they get more space. */
const EXPONENT = 1.5;
const ROUNDED_TO_BPS = 1_000;

interface LtvGraphProps {
  steps: ReadonlyArray<{ raw: bigint; ltvBps: number }>;
  /** Position of the slider. */
  raw: bigint;
  maxRaw: bigint;
  decimals: number;
  /** Unit of the collateral. */
  unit: string;
}

/** Tokens in few characters for an axis: `1.5K`. Converted to a number only for drawing. */
export function axisTokens(raw: bigint, decimals: number): string {
  return COMPACT.format(Number(raw) / 10 ** decimals);
}

/** A share of the maximum with enough precision for drawing: a millionth is less than a pixel. */
function shareOf(raw: bigint, maxRaw: bigint): number {
  return maxRaw === 0n ? 0 : Number((raw * 1_000_000n) / maxRaw) / 1_000_000;
}

/** The top of the axis: the highest LTV, rounded up to the next ten percent. */
export function axisTopBps(steps: LtvGraphProps["steps"]): number {
  const highest = max(steps, ({ ltvBps }) => ltvBps) ?? 0;
  return Math.max(ROUNDED_TO_BPS, Math.ceil(highest / ROUNDED_TO_BPS) * ROUNDED_TO_BPS);
}

/** The best LTV for each amount of collateral, and the current amount. */
export function LtvGraph({ steps, raw, maxRaw, decimals, unit }: LtvGraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = Math.max(useElementWidth(frame), MARGIN.left + MARGIN.right);
  const top = axisTopBps(steps);
  const x = scaleLinear([0, 1], [MARGIN.left, width - MARGIN.right]);
  const y = scalePow([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]).exponent(EXPONENT);
  const path = line<{ raw: bigint; ltvBps: number }>(
    (step) => x(shareOf(step.raw, maxRaw)),
    (step) => y(step.ltvBps),
  ).curve(curveStepAfter)([...steps]);
  const at = x(shareOf(raw, maxRaw));
  const here = steps.reduce((level, step) => (step.raw <= raw ? step.ltvBps : level), 0);
  return (
    <div ref={frame} data-testid="ltv-graph" style={{ height: HEIGHT }}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`LTV by collateral, ${formatBps(here)} at this amount, up to ${axisTokens(maxRaw, decimals)} ${unit}`}
      >
        {[0, top / 2, top].map((bps) => (
          <g key={bps}>
            <line
              x1={MARGIN.left}
              x2={width - MARGIN.right}
              y1={y(bps)}
              y2={y(bps)}
              stroke="var(--line)"
              strokeWidth={1}
            />
            <text x={MARGIN.left - 6} y={y(bps)} dy="0.34em" textAnchor="end" className="fill-muted text-xs">
              {formatBps(bps)}
            </text>
          </g>
        ))}
        {X_TICKS.map((share) => (
          <g key={share} transform={`translate(${x(share)} ${HEIGHT - MARGIN.bottom})`}>
            <line y2={4} stroke="var(--line-strong)" />
            <text y={16} textAnchor={share === 1 ? "end" : "middle"} className="fill-muted text-xs">
              {axisTokens((maxRaw * BigInt(share * 100)) / 100n, decimals)}
            </text>
          </g>
        ))}
        {path && <path d={path} fill="none" stroke="var(--text-soft)" strokeWidth={2} />}
        <line x1={at} x2={at} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} stroke="var(--text)" />
        <circle cx={at} cy={y(here)} r={4} fill="var(--text)" />
      </svg>
    </div>
  );
}
