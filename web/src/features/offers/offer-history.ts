import { decimalsOf } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import { pegLevelAt } from "@/shared/api/peg";
import type { PricePoint, PriceRange } from "@/shared/api/price-history";
import type { HistoryPoint } from "@/shared/ui/history-shape";
import { offerPeg } from "./offer-peg";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PRICE_SCALE = 100_000_000;
/** Duration that each price of a range covers, from its timestamp on. */
const STEP_MS: Record<PriceRange, number> = {
  "24h": HOUR_MS / 6,
  "7d": 2 * HOUR_MS,
  "30d": 8 * HOUR_MS,
  "90d": DAY_MS,
};

/** The shortest range of prices that reaches back to a time; at most the longest one. */
export function rangeSince(sinceMs: number, nowMs: number): PriceRange {
  const ageMs = nowMs - sinceMs;
  if (ageMs <= DAY_MS) return "24h";
  if (ageMs <= 7 * DAY_MS) return "7d";
  return ageMs <= 30 * DAY_MS ? "30d" : "90d";
}

/**
 * The LTV of an offer's terms at each price since it was made, and now; a principal that follows the floor is
 * the one at that price. For display only, so the numbers are not integers. Empty without a price.
 */
export function ltvHistory(offer: MyOffer, prices: readonly PricePoint[], nowMs: number): HistoryPoint[] {
  const whole = Number(offer.fungibleAmount) / 10 ** decimalsOf(offer);
  if (!(whole > 0)) return [];
  const peg = offerPeg(offer);
  const principalAt = (price: number) =>
    peg ? pegLevelAt(peg.bounds, BigInt(Math.round(price * PRICE_SCALE))).principalSats : offer.principal;
  const ltvAt = (price: number) => (price > 0 ? (Number(principalAt(price)) / (whole * price)) * 100 : null);
  const since = prices.filter(({ date }) => date > offer.createdAt && date < nowMs);
  // A price has the timestamp at which its step begins, and is the last one of that step. In the step in
  // which the offer was made it may be later than the offer, so the price at that time is the one of the step
  // before.
  const stepMs = STEP_MS[rangeSince(offer.createdAt, nowMs)];
  const before = prices.findLast(({ date }) => date + stepMs <= offer.createdAt);
  const points = since.map(({ date, price }) => ({ atMs: date, value: ltvAt(price) }));
  if (before) points.unshift({ atMs: offer.createdAt, value: ltvAt(before.price) });
  if (offer.ltv !== null) points.push({ atMs: Math.max(nowMs, offer.createdAt), value: offer.ltv });
  return points;
}
