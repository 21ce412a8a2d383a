import * as v from "valibot";
import { percent, sats, unitPrice } from "./wire";

export const peg = v.object({
  /** The share of the collateral's value that is lent, in percent. */
  ltv: percent,
  minSats: sats,
  maxSats: sats,
  stepSats: sats,
  /** Unit price below which the principal falls, or the offer is paused; null while it is. */
  fallsBelow: v.nullable(unitPrice),
  /** Unit price from which the principal rises, or the offer is open again; null at the largest principal. */
  risesAt: v.nullable(unitPrice),
});
/** The bounds within which the principal of an own offer follows the floor. */
export type Peg = v.InferOutput<typeof peg>;

/** The bounds alone, with the collateral that they are for. */
export interface PegBounds {
  /** The share of the collateral's value that is lent, in basis points. */
  ltvBps: number;
  minSats: bigint;
  maxSats: bigint;
  /** The collateral in its smallest unit, which has `decimals` decimals. */
  raw: bigint;
  decimals: number;
}

/** The principal of a pegged offer at a price, and the unit prices at which it changes. */
export interface PegLevel {
  principalSats: bigint;
  /** Whether the price is too low for the least principal, so that the offer is paused. */
  isBelow: boolean;
  fallsBelow: bigint | null;
  risesAt: bigint | null;
}

const PRICE_SCALE = 100_000_000n;
const STEP_UNIT_SATS = 1_000n;
const STEPS_MAX = 100n;

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** The step by which the principal moves: a hundredth of the range, in whole thousands of sats. */
export function pegStep({ minSats, maxSats }: Pick<PegBounds, "minSats" | "maxSats">): bigint {
  const range = maxSats > minSats ? maxSats - minSats : 0n;
  const units = divideUp(range, STEPS_MAX * STEP_UNIT_SATS);
  return units === 0n ? STEP_UNIT_SATS : units * STEP_UNIT_SATS;
}

/** The principals that the offer can have, from the least to the largest. */
export function pegLevels(bounds: Pick<PegBounds, "minSats" | "maxSats">): bigint[] {
  const step = pegStep(bounds);
  const levels: bigint[] = [];
  for (let level = bounds.minSats; level < bounds.maxSats; level += step) levels.push(level);
  return [...levels, bounds.maxSats];
}

/** The lowest unit price at which a principal is lent. */
export function lentFrom({ ltvBps, raw, decimals }: PegBounds, principalSats: bigint): bigint {
  const quote = divideUp(principalSats * PRICE_SCALE * 10n ** BigInt(decimals), raw);
  return divideUp(quote * 10_000n, BigInt(ltvBps));
}

/** The principal at a unit price, by the server's own rules. */
export function pegLevelAt(bounds: PegBounds, price: bigint): PegLevel {
  const levels = pegLevels(bounds);
  const index = levels.findLastIndex((level) => lentFrom(bounds, level) <= price);
  const above = levels[index + 1];
  return {
    principalSats: levels[Math.max(0, index)] ?? bounds.minSats,
    isBelow: index === -1,
    fallsBelow: index === -1 ? null : lentFrom(bounds, levels[index] ?? bounds.minSats),
    risesAt: above === undefined ? null : lentFrom(bounds, above),
  };
}
