const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const UNITS: ReadonlyArray<readonly [number, string]> = [
  [YEAR_MS, "y"],
  [MONTH_MS, "mo"],
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "m"],
  [SECOND_MS, "s"],
];

/** Elapsed time in one unit: `12s`, `4m`, `3h`, `2d`, `5mo`, `1y`. A time in the future counts as now. */
export function formatAge(thenMs: number, nowMs: number): string {
  const elapsed = Math.max(0, nowMs - thenMs);
  for (const [size, unit] of UNITS) {
    if (elapsed >= size) return `${Math.floor(elapsed / size)}${unit}`;
  }
  return "0s";
}

/** A date and time in full, for tooltips and the `title` of a relative age. */
export function formatMoment(timeMs: number): string {
  return new Date(timeMs).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Day and month of a date, `4 Dec`. */
export function formatDayMonth(timeMs: number): string {
  return new Date(timeMs).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
