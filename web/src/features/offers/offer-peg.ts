import { decimalsOf } from "@/shared/api/collection";
import { bpsOf } from "@/shared/api/loan-figures";
import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import type { PegBounds, PegLevel } from "@/shared/api/peg";
import { formatBtcPaid } from "@/shared/format/sats";
import { pegChangeTexts, rangeText, shareText } from "@/shared/price/peg-text";

/** The peg of an own offer: its bounds, and the present level with the prices at which it changes. */
export interface OfferPeg {
  bounds: PegBounds;
  level: PegLevel;
}

/** Returns the peg of an offer; null if its principal is fixed. */
export function offerPeg(offer: MyOffer): OfferPeg | null {
  if (offer.peg === null) return null;
  const { ltv, minSats, maxSats, fallsBelow, risesAt } = offer.peg;
  return {
    bounds: {
      ltvBps: bpsOf(ltv),
      minSats,
      maxSats,
      raw: offer.fungibleAmount,
      decimals: decimalsOf(offer),
    },
    level: { principalSats: offer.principal, isBelow: fallsBelow === null, fallsBelow, risesAt },
  };
}

/** `60% of the floor`; null if the principal is fixed. */
export function pegTag({ peg, collateralType }: MyOffer): string | null {
  return peg && shareText(peg.ltv, collateralType);
}

/** `60% of the floor, 0.003 – 0.009 BTC`; null if the principal is fixed. */
export function pegSummary(offer: MyOffer): string | null {
  return offer.peg && `${pegTag(offer)}, ${rangeText(offer.peg)}`;
}

/** The next changes of the principal of a pegged offer, as text. */
export function pegTexts(offer: MyOffer, { bounds, level }: OfferPeg): string[] {
  if (isUnderOffer(offer)) {
    return [`Stays at ${formatBtcPaid(offer.principal)} BTC while a borrower signs`];
  }
  return pegChangeTexts(bounds, level, offer.collateralType);
}
