import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { request } from "@/shared/api/request";
import { count, lenientArray, percent, rawAmount, sats, text } from "@/shared/api/wire";

/** Refetch interval: parts of offers are taken all the time, so quotes are always considered stale. */
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

/** An available instant offer against a rune, to take whole or in part. */
export interface RuneQuote {
  offerId: string;
  termDays: number;
  interestBps: number;
  /** Its remaining principal, and the raw collateral for all of it. */
  availableSats: bigint;
  availableRaw: bigint;
  /** Range of tokens, both ends included. */
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

/** The current instant offers against a rune. */
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
