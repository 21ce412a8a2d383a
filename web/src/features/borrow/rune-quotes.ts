import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "@/shared/api/request";
import { count, lenientArray, percent, rawAmount, sats, text } from "@/shared/api/wire";

/** Others take parts of offers all the time, so what was asked is never taken for fresh (SPEC section 9). */
const RENEWED_MS = 30_000;

const quote = v.object({
  offerId: text,
  available_sats: sats,
  available_collateral: rawAmount,
  valid_range: v.object({ from: rawAmount, to: rawAmount, min: text, max: text }),
});
const term = v.object({
  collection_slug: text,
  loan_term_days: count,
  interest_rate_percentage: percent,
  offers: lenientArray(quote),
});

/** An instant offer against a rune that can be taken, whole or in part. */
export interface RuneQuote {
  offerId: string;
  termDays: number;
  interestBps: number;
  /** What is left of it, and what is asked for all of that. */
  availableSats: bigint;
  availableRaw: bigint;
  /** For how many tokens, both ends included. */
  fromRaw: bigint;
  toRaw: bigint;
}

export function quotesOf(terms: ReadonlyArray<v.InferOutput<typeof term>>): RuneQuote[] {
  return terms.flatMap(({ loan_term_days, interest_rate_percentage, offers }) =>
    offers
      .filter(({ available_collateral }) => available_collateral > 0n)
      .map((offer) => ({
        offerId: offer.offerId,
        termDays: loan_term_days,
        interestBps: Math.max(0, Math.round(interest_rate_percentage * 100)),
        availableSats: offer.available_sats,
        availableRaw: offer.available_collateral,
        fromRaw: offer.valid_range.from,
        toRaw: offer.valid_range.to,
      })),
  );
}

/** What can be borrowed at once against a rune. */
export function runeQuotesQuery(groupSlug: string) {
  return queryOptions({
    queryKey: ["rune-quotes", groupSlug],
    queryFn: async ({ signal }) =>
      quotesOf(
        await request("GET", "/api/instant/runes/offers", v.array(term), {
          query: { collection_group_slug: groupSlug },
          signal,
        }),
      ),
    staleTime: 0,
    refetchInterval: RENEWED_MS,
  });
}
