import { decimalsOf } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import type { PricePoint, PriceRange } from "@/shared/api/price-history";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A figure of an offer from a moment on; null while it had none. */
export interface HistoryPoint {
  atMs: number;
  value: number | null;
}

/** The shortest range of prices that reaches back to a moment; nothing reaches further back than the longest. */
export function rangeSince(sinceMs: number, nowMs: number): PriceRange {
  const ageMs = nowMs - sinceMs;
  if (ageMs <= DAY_MS) return "24h";
  if (ageMs <= 7 * DAY_MS) return "7d";
  return ageMs <= 30 * DAY_MS ? "30d" : "90d";
}

/**
 * The LTV of an offer's terms at each price since it was made, and now. Drawn and never paid, so these are no whole
 * numbers. Empty without a price.
 */
export function ltvHistory(offer: MyOffer, prices: readonly PricePoint[], nowMs: number): HistoryPoint[] {
  const whole = Number(offer.fungibleAmount) / 10 ** decimalsOf(offer);
  if (!(whole > 0)) return [];
  const ltvAt = (price: number) => (price > 0 ? (Number(offer.principal) / (whole * price)) * 100 : null);
  const since = prices.filter(({ date }) => date > offer.createdAt && date < nowMs);
  // The price before holds until the next one, so it was the price when the offer was made.
  const before = prices.findLast(({ date }) => date <= offer.createdAt);
  const points = since.map(({ date, price }) => ({ atMs: date, value: ltvAt(price) }));
  if (before) points.unshift({ atMs: offer.createdAt, value: ltvAt(before.price) });
  if (offer.ltv !== null) points.push({ atMs: Math.max(nowMs, offer.createdAt), value: offer.ltv });
  return points;
}
