import type { MyOffer } from "@/shared/api/my-offer";
import { standing } from "./offer-state";

export type Ranks = ReadonlyMap<string, number | null>;

export function ranksOf(offers: Iterable<MyOffer>): Ranks {
  return new Map([...offers].map(({ offerId, offerRanking }) => [offerId, offerRanking]));
}

/**
 * What to tell a person who does not see the ranks change; null when there is nothing to tell. Only a changed rank is
 * news, because the distance to the lead moves all the time.
 */
export function rankNews(before: Ranks, offers: Iterable<MyOffer>): string | null {
  const changed = [...offers].filter(
    ({ offerId, offerRanking }) => before.has(offerId) && before.get(offerId) !== offerRanking,
  );
  const [only] = changed;
  if (!only) return null;
  if (changed.length > 1) return `${changed.length} of your offers changed their rank`;
  return `${only.collectionName}: ${standing(only)}`;
}

/** Sats there can never be more of. */
const SATS_END = 2_100_000_000_000_000n;

/** One number for a place in the ranking, the better the larger: the rank first, then how little is missing to lead. */
export function standingScore({
  offerRanking,
  toLeadSats,
}: Pick<MyOffer, "offerRanking" | "toLeadSats">): bigint | null {
  if (offerRanking === null) return null;
  return -(BigInt(offerRanking) * SATS_END + (toLeadSats ?? 0n));
}
