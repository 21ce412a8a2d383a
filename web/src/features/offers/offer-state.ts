import type { TermChange } from "@/shared/api/collection";
import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import { rankText } from "@/shared/bitcoin/offer-rank";
import { formatDayMonth, formatMoment } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { priceBelow, priceName } from "@/shared/price/peg-text";

/** The reasons why an offer is paused, most lasting first; empty when it is not. */
export function pauseReasons(offer: MyOffer): string[] {
  return pauses(offer).map(({ title }) => title);
}

const NO_EXACT_COIN = "No coin of exactly the amount it lends";

export interface OfferNotice {
  title: string;
  /** The way to end it. */
  next: string;
}

/** A pause, and the lender's immediate action to end it, if there is one. */
export interface PauseNotice extends OfferNotice {
  action: "fund vault" | "fund wallet" | null;
}

/** The reasons why an offer is paused, and how to resume it. */
export function pauseNotices(offer: MyOffer): PauseNotice[] {
  // The missing coin has a notice of its own, with a button that creates it.
  return pauses(offer).filter(({ title }) => title !== NO_EXACT_COIN);
}

/** Every pause of an offer, most lasting first. */
function pauses(offer: MyOffer): PauseNotice[] {
  const notices: Array<PauseNotice | false> = [
    offer.isPausedByLender && {
      title: "Paused by you",
      next: "Resume it to return it to the order book.",
      action: null,
    },
    offer.isExpired && {
      title: "Expired",
      next: "Choose below how long it is good, and it returns to the order book.",
      action: null,
    },
    offer.isPausedFromTerms && {
      title: "New terms not accepted yet",
      next: "It stays paused until you accept the new terms.",
      action: null,
    },
    offer.isPausedFromAbsence && {
      title: "Paused while you were away",
      next: "It resumes by itself as soon as you are back.",
      action: null,
    },
    offer.isPausedFromLimits && {
      title: "Over your lending limits",
      next: "It resumes automatically once loans are repaid, a new day begins, or you raise the limit.",
      action: null,
    },
    offer.isPausedFromMaxLTV && {
      title: belowLeast(offer) ?? aboveLimit(offer),
      next: "It resumes automatically once the price has recovered.",
      action: null,
    },
    offer.isPausedFromInsufficientBalance && {
      title: "Vault balance too low",
      next: "Fund your vault, and it resumes automatically.",
      action: "fund vault",
    },
    offer.isPausedFromMissingFunds && {
      title:
        offer.collateralType === "brc20" ? NO_EXACT_COIN : "Not enough free bitcoin at your payment address",
      next: "It resumes automatically once confirmed bitcoin there covers it. Coins reserved for a loan do not count.",
      action: "fund wallet",
    },
  ];
  return notices.filter((notice) => notice !== false);
}

/** The pause of an offer whose least principal is above its share of the floor; null for any other offer. */
function belowLeast({ peg, collateralType }: MyOffer): string | null {
  if (!peg || peg.risesAt === null) return null;
  const name = priceName(collateralType);
  return `${name === "floor" ? "Floor" : "Price"} below ${priceBelow(peg.risesAt, collateralType)}`;
}

function aboveLimit({ ltv, maxLtv }: MyOffer): string {
  if (ltv === null || maxLtv === null) return "LTV above your limit";
  return `LTV ${formatPercent(ltv)} above your limit of ${formatPercent(maxLtv)}`;
}

/** A change of terms that the lender has not accepted; only of instant offers, whose terms are signed. */
export function acceptableTerm({
  newTermChangeRequest,
  acceptsNextTerm,
  isPausedFromTerms,
  loanProcessType,
}: MyOffer): TermChange | null {
  if (loanProcessType === "Manual" || newTermChangeRequest === null) return null;
  return acceptsNextTerm && !isPausedFromTerms ? null : newTermChangeRequest;
}

/** The notice about a change of terms; null without one that is ahead or to accept. */
export function termNotice(offer: MyOffer): OfferNotice | null {
  const change = offer.newTermChangeRequest;
  if (!change) return null;
  const terms = `${change.newDays} days at ${formatPercent(change.newInterestRate)} instead of ${change.previousDays} days at ${formatPercent(change.previousInterestRate)}`;
  if (change.hasTermChangePassed) {
    if (!offer.isPausedFromTerms) return null;
    return {
      title: `Since ${formatDayMonth(change.changeDate)}: ${terms}`,
      next: "Accept them, or cancel the offer.",
    };
  }
  const title = `From ${formatDayMonth(change.changeDate)}: ${terms}`;
  if (offer.acceptsNextTerm)
    return { title, next: "You accepted the new terms. The offer continues with them." };
  return {
    title,
    next:
      offer.loanProcessType === "Instant"
        ? "Accept them before that day, or the offer will be paused."
        : "The offer would be under terms that it was not made for. Make a new one if they suit you.",
  };
}

/** `#2 of 14, 0.00310 to lead`, or the reason for a missing rank. */
export function rankLabel(offer: MyOffer): string {
  if (offer.offerRanking !== null) {
    return rankText({
      rank: offer.offerRanking,
      of: Math.max(offer.rankedOffers, offer.offerRanking),
      toLeadSats: offer.toLeadSats ?? 0n,
    });
  }
  const [reason] = pauseReasons(offer);
  if (reason) return reason;
  if (isUnderOffer(offer)) return "A borrower is taking it";
  return offer.conditions === null ? "Not ranked" : "Not ranked: has conditions";
}

/** A pending change of terms, which pauses the offer unless it is accepted. */
export function termWarning({ newTermChangeRequest: change, acceptsNextTerm }: MyOffer): string | null {
  if (!change || change.hasTermChangePassed || acceptsNextTerm) return null;
  return `From ${formatDayMonth(change.changeDate)}: ${change.newDays} days at ${formatPercent(change.newInterestRate)}`;
}

/** The time until which an offer is, or was, good. */
export function expiryText({ goodUntil, isExpired }: Pick<MyOffer, "goodUntil" | "isExpired">): string {
  if (goodUntil === null) return "Good until you cancel it";
  return `${isExpired ? "Expired" : "Good until"} ${formatMoment(goodUntil)}`;
}
