import type { Book } from "@/shared/feed/book-channel";
import type { BookSelection } from "./book-view";

/** The state of a linked offer. */
export type LinkedState = "live" | "reserved" | "own" | "gone";

/** The selection that shows an offer of the book; null when the offer is gone. */
export function selectionOf({ offers }: Book, offerId: string | null): BookSelection | null {
  const offer = offerId === null ? undefined : offers.get(offerId);
  return offer ? { subCollectionId: offer.subCollectionId, process: offer.process } : null;
}

export function linkedState({ offers }: Book, offerId: string, userId: string | null): LinkedState {
  const offer = offers.get(offerId);
  if (!offer) return "gone";
  return offer.lenderId === userId ? "own" : offer.state;
}
