/** A time until which an offer is good. */
export interface GoodUntil {
  /** As it was chosen; null until the offer is cancelled. */
  days: number | null;
  /** The end of these days, counted from the choice. */
  atMs: number | null;
}

export const UNTIL_CANCELLED: GoodUntil = { days: null, atMs: null };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The numbers of days to choose from. */
export const GOOD_FOR_DAYS = [1, 7, 30];

/** The end of a number of days, at a full minute. */
export function goodFor(days: number, nowMs: number): GoodUntil {
  return { days, atMs: Math.ceil((nowMs + days * DAY_MS) / MINUTE_MS) * MINUTE_MS };
}
