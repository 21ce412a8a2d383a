import { delayMs } from "@client/retry.ts";

/**
 * Back-off with jitter before the next socket attempt, from half a second on: that of the client, so that a
 * thousand browsers do not reconnect at the same moment. `random` is in [0, 1).
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  return delayMs(attempt + 2, random);
}
