/** The supply limit of bitcoin. */
export const MAX_MONEY_SATS = 2_100_000_000_000_000n;
const SATS_PER_BTC = 100_000_000n;
const BTC_DECIMALS = 8;
/** A minus as wide as a plus, for changes and histories. */
const MINUS = "\u2212";
/** One unit of the fifth decimal. */
const SATS_PER_FIFTH_DECIMAL = 1_000n;

/**
 * Sats as BTC with a fixed number of decimals. Rounded towards zero: a screen never shows more bitcoin than
 * there is. Offers are entered and shown with 5 decimals, other amounts with 6.
 */
export function formatBtc(sats: bigint, decimals: 5 | 6 | 8 = 5): string {
  const sign = sats < 0n ? MINUS : "";
  const absolute = sats < 0n ? -sats : sats;
  const whole = absolute / SATS_PER_BTC;
  const fraction = (absolute % SATS_PER_BTC).toString().padStart(BTC_DECIMALS, "0").slice(0, decimals);
  return `${sign}${group(whole.toString())}.${fraction}`;
}

/** BTC that is paid, lent or earned: five decimals, or all eight where five would hide some of it. */
export function formatBtcPaid(sats: bigint): string {
  return formatBtc(sats, sats % SATS_PER_FIFTH_DECIMAL === 0n ? 5 : 8);
}

/** BTC without trailing zeros, all eight decimals if they are needed: for messages and plain statements. */
export function formatBtcExact(sats: bigint): string {
  return formatBtc(sats, 8).replace(/\.?0+$/, "");
}

/** BTC in few characters for table headings: five decimals below 1, two from 100 up. */
export function formatBtcShort(sats: bigint): string {
  const text = formatBtc(sats, 6);
  const [whole = "0", fraction = ""] = text.split(".");
  const size = whole.replace(/[\u2212,]/g, "").length;
  const decimals = whole === "0" || whole === `${MINUS}0` ? 5 : size >= 3 ? 2 : 3;
  return `${whole}.${fraction.slice(0, decimals)}`;
}

/** Sums of many loans, which are compared in columns: always three decimals. */
export function formatBtcVolume(sats: bigint): string {
  return formatBtc(sats, 5).slice(0, -2);
}

/** Whole sats with separators between thousands. */
export function formatSats(sats: bigint): string {
  return group(sats.toString());
}

/** Parses BTC with at most `decimals` decimals. Null when the text is no such amount. */
export function parseBtc(text: string, decimals = 5): bigint | null {
  const match = /^(\d{0,8})(?:\.(\d*))?$/.exec(text.trim());
  if (!match) return null;
  const [, whole = "", fraction = ""] = match;
  if (whole === "" && fraction === "") return null;
  if (fraction.length > decimals) return null;
  return BigInt(whole || "0") * SATS_PER_BTC + BigInt(fraction.padEnd(BTC_DECIMALS, "0"));
}

function group(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
