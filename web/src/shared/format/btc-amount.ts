import { formatBtcExact, parseBtc } from "./sats";

/** A typed amount has five decimals at most, so it moves in steps of a thousand sats. */
export const AMOUNT_STEP_SATS = 1_000n;
const TYPED_DECIMALS = 5;
/** A principal that was not typed here may have all eight. */
const DECIMALS_MAX = 8;

/** Sats of the amount field's text, zero when it is not an amount yet. */
export function amountSats(text: string): bigint {
  return parseBtc(text, DECIMALS_MAX) ?? 0n;
}

/** Text of the amount field for an amount: empty for zero, otherwise every decimal it has. */
export function amountText(sats: bigint): string {
  return sats > 0n ? formatBtcExact(sats) : "";
}

/** Rounds down to an amount that can be typed. */
export function roundedDown(sats: bigint): bigint {
  return sats - (sats % AMOUNT_STEP_SATS);
}

/**
 * Text of the amount field after the user typed `next` over `previous`: input that is not a number is
 * ignored, a sixth decimal is dropped, and more than `maxSats` becomes `maxSats`.
 */
export function typedAmount(previous: string, next: string, maxSats: bigint): string {
  const text = next.trim().replace(",", ".");
  if (!/^\d{0,8}(\.\d*)?$/.test(text)) return previous;
  const [whole = "", decimals] = text.split(".");
  const kept = decimals === undefined ? whole : `${whole}.${decimals.slice(0, TYPED_DECIMALS)}`;
  return amountSats(kept) > maxSats ? amountText(maxSats) : kept;
}
