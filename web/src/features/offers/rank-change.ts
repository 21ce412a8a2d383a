import type { MyOffer } from "@/shared/api/my-offer";
import { MAX_MONEY_SATS } from "@/shared/format/sats";
import { rankLabel } from "./offer-state";

export type Ranks = ReadonlyMap<string, number | null>;

export function ranksOf(offers: Iterable<MyOffer>): Ranks {
  return new Map([...offers].map(({ offerId, offerRanking }) => [offerId, offerRanking]));
}

/**
 * The announcement of changed ranks for screen readers; null without one. Only a changed rank is announced,
 * because the distance to the best offer changes all the time.
 */
export function rankChangeText(before: Ranks, offers: Iterable<MyOffer>): string | null {
  const changed = [...offers].filter(
    ({ offerId, offerRanking }) => before.has(offerId) && before.get(offerId) !== offerRanking,
  );
  const [only] = changed;
  if (!only) return null;
  if (changed.length > 1) return `${changed.length} of your offers changed their rank`;
  return `${only.collectionName}: ${rankLabel(only)}`;
}

/**
 * One number for a rank, larger for better ones: by rank, then by how little is missing to rank first.
 */
export function rankScore({
  offerRanking,
  toLeadSats,
}: Pick<MyOffer, "offerRanking" | "toLeadSats">): bigint | null {
  if (offerRanking === null) return null;
  return -(BigInt(offerRanking) * MAX_MONEY_SATS + (toLeadSats ?? 0n));
}
