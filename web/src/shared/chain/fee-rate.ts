import type { ChainStatus } from "./chain-status";

export type FeeSpeed = "fast" | "halfHour" | "hour" | "custom";

/** What a person chose to pay the miners. */
export interface FeeChoice {
  speed: FeeSpeed;
  /** What stands in the field for a rate of one's own, in sats for each virtual byte. */
  customText: string;
}

export const FASTEST: FeeChoice = { speed: "fast", customText: "" };

/** The server takes no more from a wallet. */
const RATE_MAX = 500;
const RATE_MIN = 0.1;
/** For a vault or an exact coin the server takes so many times what is recommended for the next block, which counts as 1 at least. */
const OWN_MONEY_TIMES_MAX = 3;

/** The rates that are taken, in sats for each virtual byte. */
export interface RateBounds {
  min: number;
  max: number;
}

/** What any wallet may pay. */
export const WALLET_RATES: RateBounds = { min: RATE_MIN, max: RATE_MAX };

/** What moving one's own money may pay now. */
export function ownMoneyRateBounds(chain: ChainStatus | undefined): RateBounds {
  if (!chain) return WALLET_RATES;
  const times = OWN_MONEY_TIMES_MAX * Math.max(1, chain.feeRates.fast);
  return { min: RATE_MIN, max: Math.min(RATE_MAX, Math.floor(times * 1_000) / 1_000) };
}

/** What the beginning of a loan may pay now: money that waits for a block cannot be lent to others. */
export function loanRateBounds(chain: ChainStatus | undefined, process: "manual" | "instant"): RateBounds {
  return chain ? { min: Math.min(RATE_MAX, chain.loanRatesMin[process]), max: RATE_MAX } : WALLET_RATES;
}

/** A rate of one's own, as SPEC's BRC-20 panel starts with. */
export function customRate(rate: number): FeeChoice {
  return { speed: "custom", customText: String(rate) };
}

/** What stands in the field after a person typed `next` over `previous`: digits and three decimals, nothing else. */
export function typedRate(previous: string, next: string): string {
  const text = next.trim().replace(",", ".");
  if (!/^\d{0,4}(\.\d*)?$/.test(text)) return previous;
  const [whole = "", decimals] = text.split(".");
  return decimals === undefined ? whole : `${whole}.${decimals.slice(0, 3)}`;
}

/** Sats for each virtual byte; null while the chain is not known, or when nothing usable was chosen. */
export function feeRateOf(
  { speed, customText }: FeeChoice,
  chain: ChainStatus | undefined,
  bounds = WALLET_RATES,
): number | null {
  if (speed !== "custom") return chain && chain.feeRates[speed] >= bounds.min ? chain.feeRates[speed] : null;
  const rate = Number(customText);
  return customText !== "" && rate >= bounds.min && rate <= bounds.max ? rate : null;
}

/** Why the choice cannot be used; null when it can, or when nothing was typed yet. */
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
