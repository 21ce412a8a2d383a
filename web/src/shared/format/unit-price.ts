import { formatSats } from "./sats";

const SCALE = 100_000_000n;
const SCALE_DIGITS = 8;
/** Significant digits of a price below one hundred sats, so that cheap tokens remain distinguishable. */
const SIGNIFICANT = 3;

/**
 * Sats per whole token from a price scaled by 10^8. From 100 sats up it is whole, below it keeps three
 * significant digits: `1,240`, `12.4`, `0.083`, `0.00000512`.
 */
export function formatUnitPrice(scaled: bigint): string {
  const whole = scaled / SCALE;
  if (whole >= 100n) return formatSats(whole);
  const fraction = (scaled % SCALE).toString().padStart(SCALE_DIGITS, "0");
  const leading = whole === 0n ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.toString().length;
  const kept = Math.min(SCALE_DIGITS, leading + SIGNIFICANT);
  const shown = fraction.slice(0, kept).replace(/0+$/, "");
  return shown === "" ? whole.toString() : `${whole}.${shown}`;
}

/** A raw token amount in whole tokens, with at most `shownDecimals` decimals, rounded towards zero. */
export function formatTokenAmount(raw: bigint, decimals: number, shownDecimals = decimals): string {
  const one = 10n ** BigInt(decimals);
  const fraction = (raw % one).toString().padStart(decimals, "0").slice(0, Math.min(decimals, shownDecimals));
  const shown = decimals === 0 ? "" : fraction.replace(/0+$/, "");
  const whole = formatSats(raw / one);
  return shown === "" ? whole : `${whole}.${shown}`;
}
