import type { Book } from "@/shared/feed/book-channel";
import type { BookSelection } from "./book-view";

/** The state of a linked offer. */
export type LinkedState = "live" | "reserved" | "conditional" | "own" | "gone" | "sign in" | "opening";

/** The selection that shows an offer of the book; null when the offer is gone. */
export function selectionOf({ offers }: Book, offerId: string | null): BookSelection | null {
  const offer = offerId === null ? undefined : offers.get(offerId);
  return offer ? { subCollectionId: offer.subCollectionId, process: offer.process } : null;
}

/** `unlisted` is set by a link with a key, whose offer is in the book once it is opened. */
export function linkedState(
  { offers }: Book,
  offerId: string,
  userId: string | null,
  unlisted: "opening" | "refused" | null = null,
): LinkedState {
  const offer = offers.get(offerId);
  if (!offer && unlisted !== null && userId === null) return "sign in";
  if (!offer) return unlisted === "opening" ? "opening" : "gone";
  return offer.lenderId === userId ? "own" : offer.state;
}
