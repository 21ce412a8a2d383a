/** The figures that an offer is ranked by: more sats for the same collateral rank higher. */
export interface RankedQuote {
  principalSats: bigint;
  raw: bigint;
}

export interface OfferRank {
  /** From 1. */
  rank: number;
  /** The number of ranked offers, including this one. */
  of: number;
  /** Sats that the principal must grow to rank first; 0 for the best offer. */
  toLeadSats: bigint;
}

/**
 * Amounts are shown and typed with five decimals, so the missing sum is rounded up to the next thousand sats.
 */
const SHOWN_STEP_SATS = 1_000n;

/**
 * The rank of a new offer among `others`. Of two equal quotes the earlier ranks first, and this one is the
 * later.
 */
export function rankAmong(quote: RankedQuote, others: readonly RankedQuote[]): OfferRank {
  let ahead = 0;
  let best: RankedQuote | null = null;
  for (const other of others) {
    if (other.principalSats * quote.raw >= quote.principalSats * other.raw) ahead += 1;
    if (!best || other.principalSats * best.raw > best.principalSats * other.raw) best = other;
  }
  const toLeadSats =
    ahead > 0 && best ? (best.principalSats * quote.raw) / best.raw + 1n - quote.principalSats : 0n;
  return { rank: ahead + 1, of: others.length + 1, toLeadSats };
}

/** `#2 of 14, 0.00310 to lead`. */
export function rankText({ rank, of, toLeadSats }: OfferRank): string {
  if (toLeadSats <= 0n) return `#${rank} of ${of}, in the lead`;
  const steps = (toLeadSats + SHOWN_STEP_SATS - 1n) / SHOWN_STEP_SATS;
  const whole = steps / 100_000n;
  const decimals = (steps % 100_000n).toString().padStart(5, "0");
  return `#${rank} of ${of}, ${whole}.${decimals} to lead`;
}
