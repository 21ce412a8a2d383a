import type { MyOffer } from "@/shared/api/my-offer";
import { rankText } from "@/shared/bitcoin/offer-rank";
import { formatDayMonth } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";

/** Why an offer stands still, most lasting reason first; empty when it does not. */
export function pauseReasons(offer: MyOffer): string[] {
  const reasons: string[] = [];
  if (offer.isPausedByLender) reasons.push("Paused by you");
  if (offer.isPausedFromTerms) reasons.push("New terms not accepted yet");
  if (offer.isPausedFromMaxLTV) {
    const known = offer.ltv !== null && offer.maxLtv !== null;
    reasons.push(
      known
        ? `LTV ${formatPercent(offer.ltv ?? 0)} above your limit of ${formatPercent(offer.maxLtv ?? 0)}`
        : "LTV above your limit",
    );
  }
  if (offer.isPausedFromInsufficientBalance) reasons.push("Vault below principal");
  return reasons;
}

export function isUnderOffer(offer: MyOffer): boolean {
  return offer.tags.includes("under offer");
}

/** `#2 of 14, 0.00310 to lead`, or why there is no rank. */
export function standing(offer: MyOffer): string {
  if (offer.offerRanking !== null) {
    return rankText({
      rank: offer.offerRanking,
      of: Math.max(offer.rankedOffers, offer.offerRanking),
      toLeadSats: offer.toLeadSats ?? 0n,
    });
  }
  const [reason] = pauseReasons(offer);
  if (reason) return reason;
  return isUnderOffer(offer) ? "A borrower is taking it" : "Not ranked";
}

/** A change of terms that is still ahead, which pauses the offer unless it is accepted. */
export function termWarning({ newTermChangeRequest: change, acceptsNextTerm }: MyOffer): string | null {
  if (!change || change.hasTermChangePassed || acceptsNextTerm) return null;
  return `From ${formatDayMonth(change.changeDate)}: ${change.newDays} days at ${formatPercent(change.newInterestRate)}`;
}
