import type { CollateralType } from "@/shared/api/collection";
import type { PriceHold } from "@/shared/api/price-source";
import { formatPrice, priceUnit } from "@/shared/price/price";
import type { OfferNotice } from "./offer-state";

/** The notice about a held price by which the offer is judged; null while the price is not held. */
export function priceNotice(hold: PriceHold | null, type: CollateralType): OfferNotice | null {
  if (!hold) return null;
  return {
    title: `The price is not updating: ${reason(hold, type)}`,
    next: "LTV and pauses use the last accepted price until there is a new one.",
  };
}

function reason(hold: PriceHold, type: CollateralType): string {
  const shown = (price: number) => `${formatPrice(price, type)} ${priceUnit(type)}`;
  switch (hold.reason) {
    case "noSource":
      return "no marketplace reports one now";
    case "tooFewSources":
      return `${hold.found} of the ${hold.needed} marketplaces it needs reports one now`;
    case "disagreement":
      return `marketplaces report from ${shown(hold.low)} to ${shown(hold.high)}`;
    case "jump":
      return `a jump to ${shown(hold.to)} was reported ${hold.rounds} of the ${hold.roundsNeeded} times it needs`;
  }
}
