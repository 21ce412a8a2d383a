import type { BookOffer } from "@/shared/api/book";
import type { GroupOffer } from "@/shared/api/group-offer";
import type { Negotiation } from "@/shared/api/negotiation";
import { isSeveral, pledgedRaw } from "@/shared/api/pledge";
import type { Requests } from "./requests-channel";

/** The requests and negotiations that offers for the user came from. */
export interface OfferOrigins {
  /** Null while they are loading. */
  requests: Requests | null;
  negotiations: readonly Negotiation[];
}

/**
 * An offer for the user with the number of inscriptions that it takes together, which is that of the request
 * that it fills or of the negotiation in which it was agreed: the order book names no inscriptions.
 */
export function withPledge(
  { requestId, offer }: GroupOffer,
  { requests, negotiations }: OfferOrigins,
): BookOffer {
  if (offer.fungibleAmount !== null) return offer;
  const pledge =
    requests?.get(requestId ?? "") ??
    negotiations.find(({ agreedOfferId }) => agreedOfferId === offer.offerId);
  return pledge && isSeveral(pledge) ? { ...offer, fungibleAmount: pledgedRaw(pledge) } : offer;
}
