const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The chain's target interval. */
const BLOCK_MS = 10 * MINUTE_MS;

/** The remaining time in its two largest units: `4d 3h`, `11h 59m`, `4m 20s`, `12s`; null once it is over. */
export function formatRemaining(untilMs: number, nowMs: number): string | null {
  const left = untilMs - nowMs;
  if (left <= 0) return null;
  const days = Math.floor(left / DAY_MS);
  const hours = Math.floor((left % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((left % HOUR_MS) / MINUTE_MS);
  const seconds = Math.floor((left % MINUTE_MS) / 1_000);
  if (days > 0) return `${days}d ${hours}h`;
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${seconds}s` : `${seconds}s`;
}

/** The remaining time in blocks of ten minutes each, at least one: `≈ 576 blocks`. */
export function formatBlocks(untilMs: number, nowMs: number): string | null {
  const left = untilMs - nowMs;
  if (left <= 0) return null;
  const blocks = Math.max(1, Math.round(left / BLOCK_MS));
  return `≈ ${blocks.toLocaleString("en-US")} ${blocks === 1 ? "block" : "blocks"}`;
}
