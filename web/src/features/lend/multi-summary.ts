import type { InstantDraft } from "./instant-draft";
import { getErrors, isComplete } from "./instant-errors";
import { type InstantOfferRequest, offerRequestOf } from "./instant-submission";
import { principalOf } from "./lend-draft";

export interface MultiSummary {
  totalOffers: number;
  totalSats: bigint;
  hasError: boolean;
  hasNoOffers: boolean;
}

/** The totals of all drafts. */
export function calculateSummary(drafts: readonly InstantDraft[], usableSats: bigint | null): MultiSummary {
  const totalOffers = drafts.reduce((sum, { offer }) => sum + offer.count, 0);
  return {
    totalOffers,
    totalSats: drafts.reduce((sum, { offer }) => sum + principalOf(offer) * BigInt(offer.count), 0n),
    hasError: drafts.some((draft) => getErrors(draft, usableSats).length > 0),
    hasNoOffers: totalOffers === 0,
  };
}

/** The offers to create, each repeated by its count; or the reason why there are none. */
export function plannedOffers(
  drafts: readonly InstantDraft[],
  labelOf: (subCollectionId: string) => string,
): { offers: Array<{ offerRequest: InstantOfferRequest; label: string }> } | { problem: string } {
  if (drafts.length === 0) return { problem: "No valid offers to submit" };
  const offers = drafts.flatMap((draft) => {
    const offerRequest = isComplete(draft) ? offerRequestOf(draft, null) : null;
    const planned = offerRequest ? { offerRequest, label: labelOf(draft.target.subCollectionId) } : null;
    return Array.from({ length: draft.offer.count }, () => planned);
  });
  const complete = offers.filter((offer) => offer !== null);
  if (complete.length < offers.length) return { problem: "Missing offer data" };
  return { offers: complete };
}
