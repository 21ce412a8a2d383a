import type { GroupOffer } from "@/shared/api/group-offer";
import type { Book } from "./book-channel";
import { type OfferOrigins, withPledge } from "./pledged-offer";

/** A book with the offers of its group that only some users can take, this one among them. */
export function withOwnOffers(book: Book, own: Iterable<GroupOffer>, origins: OfferOrigins): Book {
  const added = [...own].filter(({ groupId }) => groupId === book.row.id);
  if (added.length === 0) return book;
  return {
    ...book,
    offers: new Map([
      ...book.offers,
      ...added.map((each) => [each.offer.offerId, withPledge(each, origins)] as const),
    ]),
  };
}
