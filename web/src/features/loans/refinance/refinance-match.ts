import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { Notice } from "@/shared/api/notice";
import { request } from "@/shared/api/request";
import { count, lenientArray, percent, sats, text } from "@/shared/api/wire";
import { formatPercent } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { LOANS } from "@/shared/loans/loan-refresh";

const refinanceMatch = v.object({
  loanId: text,
  offerId: text,
  process: v.picklist(["manual", "instant"]),
  principalSats: sats,
  interestPercentage: percent,
  termDays: count,
  payoutSats: sats,
  /** The share by which the interest per day of principal is lower; negative if it is higher. */
  savedPercentage: percent,
  /** Whether it is within the borrower's standing order. */
  isOrdered: v.boolean(),
});
/** The best offer, as the server found it, that a running loan of the user's could move to. */
export type RefinanceMatch = v.InferOutput<typeof refinanceMatch>;

const matchList = v.object({ refinances: lenientArray(refinanceMatch) });

/** The matches of the user's running loans, by the loan's id; refetched with the loans. */
export function refinanceMatchesQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "refinances"],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, RefinanceMatch>> => {
      const { refinances } = await request("GET", "/api/v1/me/refinances", matchList, { signal });
      return new Map(refinances.map((match) => [match.loanId, match]));
    },
  });
}

/** The id of the latest notice about a match; null without one. */
export function latestMatchNotice(notices: readonly Pick<Notice, "id" | "kind">[]): string | null {
  const isMatch = ({ kind }: Pick<Notice, "kind">) =>
    kind === "refinance_cheaper" || kind === "refinance_ordered";
  return notices.findLast(isMatch)?.id ?? null;
}

/** `23% less interest a day with another offer`. */
export function matchText({ isOrdered, savedPercentage }: RefinanceMatch): string {
  if (isOrdered) return "Your standing order has an offer: sign it";
  // Rounded down, so that no screen promises more than there is.
  return `${formatPercent(Math.floor(savedPercentage))} less interest a day with another offer`;
}

/** `0.05200 BTC for 30 days at 2.5%`, and how it starts. */
export function matchTermsText({
  process,
  principalSats,
  termDays,
  interestPercentage,
}: RefinanceMatch): string {
  const terms = `${formatBtcPaid(principalSats)} BTC for ${termDays} days at ${formatPercent(interestPercentage)}`;
  return `${terms}, ${process === "instant" ? "instant" : "signed by its lender within 12 hours"}`;
}
