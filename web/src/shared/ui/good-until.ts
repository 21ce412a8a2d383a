import type { Choice } from "./segmented";

/** The number of days for which an offer is good; null until it is cancelled. */
export type GoodForDays = number | null;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The numbers of days to choose from. */
export const GOOD_FOR_CHOICES: readonly Choice<string>[] = [1, 7, 30].map((days) => ({
  value: String(days),
  label: days === 1 ? "1 day" : `${days} days`,
}));

/** The time until which an offer is good, at a full minute; null until it is cancelled. */
export function goodUntilMs(days: GoodForDays, nowMs: number): number | null {
  return days === null ? null : Math.ceil((nowMs + days * DAY_MS) / MINUTE_MS) * MINUTE_MS;
}
