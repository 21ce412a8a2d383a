import type { Book } from "@/shared/feed/book-channel";
import type { Place } from "./book-view";

/** What has become of the offer that a link leads to. */
export type LinkedState = "live" | "reserved" | "own" | "gone";

/** Where in the book an offer stands; null when it stands there no longer. */
export function placeOf({ offers }: Book, offerId: string | null): Place | null {
  const offer = offerId === null ? undefined : offers.get(offerId);
  return offer ? { subCollectionId: offer.subCollectionId, process: offer.process } : null;
}

export function linkedState({ offers }: Book, offerId: string, userId: string | null): LinkedState {
  const offer = offers.get(offerId);
  if (!offer) return "gone";
  return offer.lenderId === userId ? "own" : offer.state;
}
