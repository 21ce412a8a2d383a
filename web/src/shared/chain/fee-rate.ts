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

/** The most that moving one's own money may pay now, in sats for each virtual byte. */
export function ownMoneyRateMax(chain: ChainStatus | undefined): number {
  if (!chain) return RATE_MAX;
  const times = OWN_MONEY_TIMES_MAX * Math.max(1, chain.feeRates.fast);
  return Math.min(RATE_MAX, Math.floor(times * 1_000) / 1_000);
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

/** Sats for each virtual byte; null while the chain is not known, or when nothing usable was typed. */
export function feeRateOf(
  { speed, customText }: FeeChoice,
  chain: ChainStatus | undefined,
  rateMax = RATE_MAX,
): number | null {
  if (speed !== "custom") return chain ? chain.feeRates[speed] : null;
  const rate = Number(customText);
  return customText !== "" && rate >= RATE_MIN && rate <= rateMax ? rate : null;
}

/** Why the choice cannot be used; null when it can, or when nothing was typed yet. */
export function feeRateError({ speed, customText }: FeeChoice, rateMax = RATE_MAX): string | null {
  if (speed !== "custom" || customText === "" || customText === ".") return null;
  const rate = Number(customText);
  if (rate >= RATE_MIN && rate <= rateMax) return null;
  return `Between ${RATE_MIN} and ${rateMax} sats/vB${rateMax < RATE_MAX ? " at the moment" : ""}`;
}
