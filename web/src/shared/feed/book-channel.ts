import { applyOperation, type BookOf, bookOf } from "@client/book.ts";
import { checksumOf } from "@client/ranking.ts";
import * as v from "valibot";
import { type BookLoan, type BookOffer, bookLoan, bookOffer } from "@/shared/api/book";
import { type Collection, collection, decimalsOf } from "@/shared/api/collection";
import { lenientArray, reportUnreadable, text } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** The public data of one group: its offers and loans by id, and its row of the market. */
export type Book = BookOf<Collection, BookOffer, BookLoan>;

const snapshot = v.object({
  row: collection,
  offers: lenientArray(bookOffer),
  loans: lenientArray(bookLoan),
});

const operation = v.variant("op", [
  v.object({ op: v.literal("offer"), offer: bookOffer }),
  v.object({ op: v.literal("offer_gone"), offerId: text }),
  v.object({ op: v.literal("loan"), loan: bookLoan }),
  v.object({ op: v.literal("loan_gone"), id: text }),
  v.object({ op: v.literal("row"), row: collection }),
]);

export const bookChannel: ChannelKind<Book> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(snapshot, data);
    return parsed.success ? bookOf(parsed.output) : null;
  },
  copy: (book) => ({ row: book.row, offers: new Map(book.offers), loans: new Map(book.loans) }),
  applyOp: (draft, op) => {
    const parsed = v.safeParse(operation, op);
    if (!parsed.success) {
      reportUnreadable(parsed.issues);
      return false;
    }
    applyOperation(draft, parsed.output);
    return true;
  },
  checksum: bookChecksum,
};

/** CRC32C over the best offers of every ranking, in the order of the server. */
export function bookChecksum(book: Book): number {
  const amountsOf = ({ principalSats, availableSats, fungibleAmount }: BookOffer) => ({
    principalSats,
    availableSats,
    raw: fungibleAmount ?? 1n,
  });
  return checksumOf(book.offers.values(), amountsOf, decimalsOf(book.row));
}
