const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Back-off with jitter before the next socket attempt: it doubles with each attempt, and is between half of
 * that and all of it, so that a thousand browsers do not reconnect at the same moment. `random` is in [0, 1).
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
