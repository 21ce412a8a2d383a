import { type Conditions, conditionTexts } from "@/shared/api/conditions";
import type { MyOffer } from "@/shared/api/my-offer";

/** The reason why new offers cannot be taken; `unknown` until their state is reported. */
export type FundingGap = "nothing" | "coin" | "funds" | "unknown";

/**
 * Determines what new offers lack. `hasCoin` applies to those against BRC-20 until the feed has reported
 * the offers with their pauses.
 */
export function fundingGapOf(
  isBrc20: boolean,
  offers: readonly Pick<MyOffer, "isPausedFromMissingFunds">[],
  hasCoin: boolean | undefined,
): FundingGap {
  if (isBrc20) {
    if (hasCoin === undefined) return "unknown";
    return hasCoin ? "nothing" : "coin";
  }
  return offers.some((offer) => offer.isPausedFromMissingFunds) ? "funds" : "nothing";
}

/** Whether they can be taken, as text of the dialog that follows. */
export function createdOffersText(
  fundingGap: FundingGap,
  count: number,
  collectionName: string,
  conditions: Conditions | null = null,
): { title: string; text: string } {
  const isOne = count === 1;
  if (fundingGap === "coin" || fundingGap === "funds") {
    const until =
      fundingGap === "coin"
        ? "one coin of exactly the amount to lend is confirmed at your payment address"
        : "enough free bitcoin is confirmed at your payment address";
    const title = isOne ? "Offer created, paused for now" : `${count} offers created, paused for now`;
    return {
      title,
      text: `${isOne ? "It" : "They"} cannot be taken until ${until}. Then ${isOne ? "it enters" : "they enter"} the order book automatically.`,
    };
  }
  const ranks = `Where ${isOne ? "it ranks" : "they rank"}, and the amount to the best offer, is in your portfolio.`;
  if (fundingGap === "unknown") {
    return { title: isOne ? "Offer created" : `${count} offers created`, text: ranks };
  }
  if (conditions !== null) {
    return {
      title: isOne ? "Offer created" : `${count} offers created`,
      text: `${isOne ? "It" : "They"} can be taken now: ${conditionTexts(conditions).join(", ")}.`,
    };
  }
  return {
    title: isOne ? "Your offer is in the order book" : `${count} offers are in the order book`,
    text: `Borrowers of ${collectionName} can take ${isOne ? "it" : "them"} now. ${ranks}`,
  };
}
