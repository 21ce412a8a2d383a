import type { Book } from "@/shared/feed/book-channel";
import type { BookSelection } from "./book-view";

/** The state of a linked offer. */
export type LinkedState =
  | "live"
  | "reserved"
  | "conditional"
  | "for you"
  | "own"
  | "gone"
  | "sign in"
  | "opening";

/** The state of an unlisted offer whose link was followed; null where the link has no key. */
export type UnlistedState = "opening" | "refused" | "opened" | null;

/** The selection that shows an offer of the book; null when the offer is gone. */
export function selectionOf({ offers }: Book, offerId: string | null): BookSelection | null {
  const offer = offerId === null ? undefined : offers.get(offerId);
  return offer ? { subCollectionId: offer.subCollectionId, process: offer.process } : null;
}

/** The state of a linked offer in the book of a user, null while signed out. */
export function linkedState(
  { offers }: Book,
  offerId: string,
  userId: string | null,
  unlisted: UnlistedState = null,
): LinkedState {
  const offer = offers.get(offerId);
  if (!offer && unlisted !== null && userId === null) return "sign in";
  if (!offer) return unlisted === "opening" ? "opening" : "gone";
  if (offer.lenderId === userId) return "own";
  // Its borrower alone sees an address.
  const isForUser = offer.state === "conditional" && offer.conditions?.borrowerAddress != null;
  return isForUser ? "for you" : offer.state;
}
