import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection } from "@/shared/api/collection";
import { currentLtvBps } from "@/shared/api/loan-to-value";
import type { Book } from "@/shared/feed/book-channel";
import { requestLtvBps } from "@/shared/requests/request-ladder";

/** An open offer or request as a part of the depth. */
export interface DepthEntry {
  ltvBps: number;
  sats: bigint;
  own: boolean;
}

/**
 * The offers of all terms and both process types that anyone can take now; none without a price. Requests are
 * for the whole collection too, so a part of the offers would not compare with them.
 */
export function offerEntries({ offers, row }: Book, userId: string | null): DepthEntry[] {
  return [...offers.values()].flatMap((offer) => {
    const ltvBps = currentLtvBps(offer, row);
    if (ltvBps === null || offer.state !== "live" || offer.availableSats <= 0n) return [];
    return [{ ltvBps, sats: offer.availableSats, own: offer.lenderId === userId }];
  });
}

/** The open requests of a collection; none without a price. */
export function requestEntries(
  requests: readonly BorrowRequest[],
  row: Collection,
  userId: string | null,
): DepthEntry[] {
  return requests.flatMap((asked) => {
    const ltvBps = requestLtvBps(asked, row);
    if (ltvBps === null) return [];
    return [{ ltvBps, sats: asked.principalSats, own: asked.borrowerId === userId }];
  });
}
