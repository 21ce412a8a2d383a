import type { ChainStatus } from "./chain-status";

export type FeeSpeed = "fast" | "halfHour" | "hour" | "custom";

/** The user's choice of a fee rate. */
export interface FeeChoice {
  speed: FeeSpeed;
  /** Text of the field for a custom rate, in sats per virtual byte. */
  customText: string;
}

export const FASTEST: FeeChoice = { speed: "fast", customText: "" };

/** The server's limit for payments from a wallet. */
const RATE_MAX = 500;
const RATE_MIN = 0.1;
/**
 * For a vault or an exact coin the server accepts up to this multiple of the next-block rate, taken as at
 * least 1.
 */
const WALLET_RATE_FACTOR_MAX = 3;

/** The accepted rates, in sats per virtual byte. */
export interface RateBounds {
  min: number;
  max: number;
}

/** The bounds of any wallet payment. */
export const WALLET_RATES: RateBounds = { min: RATE_MIN, max: RATE_MAX };

/** The current bounds for moving the user's own money. */
export function walletRateBounds(chain: ChainStatus | undefined): RateBounds {
  if (!chain) return WALLET_RATES;
  const times = WALLET_RATE_FACTOR_MAX * Math.max(1, chain.feeRates.fast);
  return { min: RATE_MIN, max: Math.min(RATE_MAX, Math.floor(times * 1_000) / 1_000) };
}

/** The current bounds for an origination: money that waits for a block cannot be lent to others. */
export function loanRateBounds(chain: ChainStatus | undefined, process: "manual" | "instant"): RateBounds {
  return chain ? { min: Math.min(RATE_MAX, chain.loanRatesMin[process]), max: RATE_MAX } : WALLET_RATES;
}

/** A custom rate to start with. */
export function customRate(rate: number): FeeChoice {
  return { speed: "custom", customText: String(rate) };
}

/** Text of the field after the user typed `next` over `previous`: digits and three decimals, nothing else. */
export function typedRate(previous: string, next: string): string {
  const text = next.trim().replace(",", ".");
  if (!/^\d{0,4}(\.\d*)?$/.test(text)) return previous;
  const [whole = "", decimals] = text.split(".");
  return decimals === undefined ? whole : `${whole}.${decimals.slice(0, 3)}`;
}

/** Sats per virtual byte; null while the chain status is unknown, or without a usable choice. */
export function feeRateOf(
  { speed, customText }: FeeChoice,
  chain: ChainStatus | undefined,
  bounds = WALLET_RATES,
): number | null {
  if (speed !== "custom") return chain && chain.feeRates[speed] >= bounds.min ? chain.feeRates[speed] : null;
  const rate = Number(customText);
  return customText !== "" && rate >= bounds.min && rate <= bounds.max ? rate : null;
}

/** The reason why the choice cannot be used; null when it can, or before anything is typed. */
export function feeRateError(
  { speed, customText }: FeeChoice,
  bounds = WALLET_RATES,
  chain?: ChainStatus,
): string | null {
  if (speed !== "custom") {
    return chain && chain.feeRates[speed] < bounds.min
      ? `At least ${bounds.min} sats/vB at the moment`
      : null;
  }
  if (customText === "" || customText === ".") return null;
  const rate = Number(customText);
  if (rate >= bounds.min && rate <= bounds.max) return null;
  const isNarrow = bounds.min > RATE_MIN || bounds.max < RATE_MAX;
  return `Between ${bounds.min} and ${bounds.max} sats/vB${isNarrow ? " at the moment" : ""}`;
}
