import { lentFrom, type PegBounds, pegLevels } from "@/shared/api/peg";
import type { ChartBox } from "@/shared/ui/chart-box";

export interface PegShape {
  /** The principal over the price, step by step. */
  line: string;
  /** Position of the price below which the offer is paused, and of the one from which the principal is largest. */
  pausesX: number;
  largestX: number;
  leastY: number;
  largestY: number;
  /** Position of the principal at the current price; at an edge where that is far away. */
  now: { x: number; y: number };
}

/** Share of the width that is left before and after the steps. */
const MARGIN = 0.18;

/** The shape of a principal that follows a price; numbers for display only. */
export function pegShape(bounds: PegBounds, principalSats: bigint, price: bigint, box: ChartBox): PegShape {
  const levels = pegLevels(bounds);
  const starts = levels.map((level) => Number(lentFrom(bounds, level)));
  const first = starts[0] ?? 0;
  const last = starts.at(-1) ?? first;
  const margin = Math.max((last - first) * MARGIN, last * 0.05);
  const current = Number(price);
  // The current price stays visible, unless it would squeeze the steps.
  const from = Math.max(
    0,
    Math.max(Math.min(first - margin, current - margin), first - (last - first) - margin),
  );
  const to = Math.min(Math.max(last + margin, current + margin), last + (last - first) + margin);
  const inner = Math.max(0, box.width - box.left - box.right);
  const x = (value: number) =>
    box.left + (inner * (Math.min(to, Math.max(from, value)) - from)) / Math.max(1, to - from);
  const least = Number(bounds.minSats);
  const range = Math.max(1, Number(bounds.maxSats) - least);
  const high = box.height - box.bottom;
  // A single level is drawn in the middle.
  const y = (sats: number) =>
    bounds.minSats === bounds.maxSats
      ? (high + box.top) / 2
      : high - (high - box.top) * (0.12 + 0.88 * ((sats - least) / range));
  const steps = levels
    .slice(1)
    .map((level, index) => `H${round(x(starts[index + 1] ?? last))}V${round(y(Number(level)))}`);
  return {
    line: `M${round(x(first))} ${round(y(least))}${steps.join("")}H${round(x(to))}`,
    pausesX: x(first),
    largestX: x(last),
    leastY: y(least),
    largestY: y(Number(bounds.maxSats)),
    now: { x: x(current), y: y(Number(principalSats)) },
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
