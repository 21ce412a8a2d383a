import { max } from "d3-array";
import { scaleLinear, scalePow } from "d3-scale";
import { curveStepAfter, line } from "d3-shape";
import { formatBps } from "@/shared/format/percent";

const WIDTH = 520;
const HEIGHT = 120;
const MARGIN = { top: 10, right: 10, bottom: 8, left: 40 };
/** Differences between high LTVs are what a person chooses by, so they get more room (SPEC section 9). */
const EXPONENT = 1.5;
const ROUNDED_TO_BPS = 1_000;

interface LtvGraphProps {
  steps: ReadonlyArray<{ raw: bigint; ltvBps: number }>;
  /** Where the slider stands. */
  raw: bigint;
  maxRaw: bigint;
}

/** A share of the maximum that screens can draw: a millionth is less than a pixel. */
function shareOf(raw: bigint, maxRaw: bigint): number {
  return maxRaw === 0n ? 0 : Number((raw * 1_000_000n) / maxRaw) / 1_000_000;
}

/** The top of the axis: the highest LTV, up to the next ten percent. */
export function axisTopBps(steps: LtvGraphProps["steps"]): number {
  const highest = max(steps, ({ ltvBps }) => ltvBps) ?? 0;
  return Math.max(ROUNDED_TO_BPS, Math.ceil(highest / ROUNDED_TO_BPS) * ROUNDED_TO_BPS);
}

/** The best LTV for each amount of collateral, and the amount at hand. */
export function LtvGraph({ steps, raw, maxRaw }: LtvGraphProps) {
  const top = axisTopBps(steps);
  const x = scaleLinear([0, 1], [MARGIN.left, WIDTH - MARGIN.right]);
  const y = scalePow([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]).exponent(EXPONENT);
  const path = line<{ raw: bigint; ltvBps: number }>(
    (step) => x(shareOf(step.raw, maxRaw)),
    (step) => y(step.ltvBps),
  ).curve(curveStepAfter)([...steps]);
  const at = x(shareOf(raw, maxRaw));
  const here = steps.reduce((level, step) => (step.raw <= raw ? step.ltvBps : level), 0);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`LTV by collateral, ${formatBps(here)} at this amount`}
      className="h-28 w-full"
      data-testid="ltv-graph"
    >
      {[0, top / 2, top].map((bps) => (
        <g key={bps}>
          <line
            x1={MARGIN.left}
            x2={WIDTH - MARGIN.right}
            y1={y(bps)}
            y2={y(bps)}
            stroke="var(--line)"
            strokeWidth={1}
          />
          <text x={MARGIN.left - 6} y={y(bps) + 4} textAnchor="end" fontSize={11} fill="var(--text-muted)">
            {formatBps(bps)}
          </text>
        </g>
      ))}
      {path && <path d={path} fill="none" stroke="var(--text-soft)" strokeWidth={2} />}
      <line x1={at} x2={at} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} stroke="var(--accent)" />
      <circle cx={at} cy={y(here)} r={4} fill="var(--accent)" />
    </svg>
  );
}
