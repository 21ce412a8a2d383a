/** What an offer is ranked by: more sats for the same collateral come first. */
export interface RankedQuote {
  principalSats: bigint;
  raw: bigint;
}

export interface OfferRank {
  /** From 1. */
  rank: number;
  /** How many offers are ranked, this one among them. */
  of: number;
  /** How many sats the principal must grow to come first; 0 in the lead. */
  toLeadSats: bigint;
}

/** Amounts are shown and typed with five decimals, so what is missing is rounded up to the next thousand sats. */
const SHOWN_STEP_SATS = 1_000n;

/** Where a new offer would stand among `others`. Of two equal quotes the earlier comes first, and this one is the later. */
export function rankAmong(quote: RankedQuote, others: readonly RankedQuote[]): OfferRank {
  let ahead = 0;
  let leader: RankedQuote | null = null;
  for (const other of others) {
    if (other.principalSats * quote.raw >= quote.principalSats * other.raw) ahead += 1;
    if (!leader || other.principalSats * leader.raw > leader.principalSats * other.raw) leader = other;
  }
  const toLeadSats =
    ahead > 0 && leader ? (leader.principalSats * quote.raw) / leader.raw + 1n - quote.principalSats : 0n;
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
