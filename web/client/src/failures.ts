/** The time without a failure after which earlier ones do not count. */
const RESET_AFTER_MS = 60_000;

/** The failures of a channel in a row. */
export interface Failures {
  failures: number;
  failedAt: number;
}

/** Counts a failure, and returns the number of those in a row. */
export function countFailure(counter: Failures, now: number): number {
  if (now - counter.failedAt > RESET_AFTER_MS) counter.failures = 0;
  counter.failures += 1;
  counter.failedAt = now;
  return counter.failures;
}
