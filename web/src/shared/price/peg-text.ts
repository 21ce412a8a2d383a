import type { CollateralType } from "@/shared/api/collection";
import { lentFrom, type PegBounds, type PegLevel, pegLevels } from "@/shared/api/peg";
import { formatPercent } from "@/shared/format/percent";
import { formatBtc, formatBtcExact, formatBtcPaid } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";

const PRICE_SCALE = 100_000_000n;
/** One unit of the fifth decimal, with which floors are shown. */
const FLOOR_STEP_SATS = 1_000n;

/** The price that a principal follows: the floor of inscriptions, the price of tokens. */
export function priceName(type: CollateralType): "floor" | "price" {
  return type === "inscription" ? "floor" : "price";
}

/** `60% of the floor`. */
export function shareText(percent: number, type: CollateralType): string {
  return `${formatPercent(percent)} of the ${priceName(type)}`;
}

/** `0.003 – 0.009`, in BTC. */
export function boundsText({ minSats, maxSats }: Pick<PegBounds, "minSats" | "maxSats">): string {
  if (minSats === maxSats) return formatBtcExact(maxSats);
  return `${formatBtcExact(minSats)} – ${formatBtcExact(maxSats)}`;
}

/** `0.003 – 0.009 BTC`. */
export function rangeText(bounds: Pick<PegBounds, "minSats" | "maxSats">): string {
  return `${boundsText(bounds)} BTC`;
}

/** A price from which something holds, rounded up. */
export function priceFrom(price: bigint, type: CollateralType): string {
  if (type !== "inscription") return `${formatUnitPrice(price)} sats`;
  const unit = PRICE_SCALE * FLOOR_STEP_SATS;
  return `${formatBtc(((price + unit - 1n) / unit) * FLOOR_STEP_SATS)} BTC`;
}

/** A price below which something holds, rounded down like every floor that is shown. */
export function priceBelow(price: bigint, type: CollateralType): string {
  if (type !== "inscription") return `${formatUnitPrice(price)} sats`;
  return `${formatBtc(price / PRICE_SCALE)} BTC`;
}

/** `Paused until the floor is 0.00500 BTC`. */
export function pausedUntilText(price: bigint, type: CollateralType): string {
  return `Paused until the ${priceName(type)} is ${priceFrom(price, type)}`;
}

/** The changes of the principal that come next, and the price at which the offer pauses, as text. */
export function pegChangeTexts(
  bounds: PegBounds,
  { principalSats, isBelow, fallsBelow, risesAt }: PegLevel,
  type: CollateralType,
): string[] {
  if (isBelow) return risesAt === null ? [] : [pausedUntilText(risesAt, type)];
  const name = priceName(type);
  const levels = pegLevels(bounds);
  const above = levels.find((level) => level > principalSats);
  const below = levels.findLast((level) => level < principalSats);
  const texts: string[] = [];
  if (risesAt !== null && above !== undefined) {
    texts.push(`Rises to ${formatBtcPaid(above)} BTC at a ${name} of ${priceFrom(risesAt, type)}`);
  }
  if (fallsBelow !== null && below !== undefined) {
    texts.push(`Falls to ${formatBtcPaid(below)} BTC below a ${name} of ${priceBelow(fallsBelow, type)}`);
  }
  const pausesBelow = lentFrom(bounds, bounds.minSats);
  return [...texts, `Pauses below a ${name} of ${priceBelow(pausesBelow, type)}`];
}
