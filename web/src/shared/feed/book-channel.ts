import * as v from "valibot";
import { type BookLoan, type BookOffer, bookLoan, bookOffer } from "@/shared/api/book";
import { type Collection, collection } from "@/shared/api/collection";
import { lenientArray, reportUnreadable, text } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";
import { crc32c } from "./crc32c";
import { rankings } from "./ranking";

/** The public data of one group: its offers and loans by id, and its row of the market. */
export interface Book {
  row: Collection;
  offers: Map<string, BookOffer>;
  loans: Map<string, BookLoan>;
}

/** Number of offers of each ranking that the checksum covers. */
const CHECKED_DEPTH = 10;

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
    apply(draft, parsed.output);
    return true;
  },
  checksum: bookChecksum,
};

export function bookOf(parts: {
  row: Collection;
  offers: readonly BookOffer[];
  loans: readonly BookLoan[];
}): Book {
  return {
    row: parts.row,
    offers: new Map(parts.offers.map((offer) => [offer.offerId, offer])),
    loans: new Map(parts.loans.map((loan) => [loan.id, loan])),
  };
}

/** CRC32C over the best offers of every ranking, in the order that both sides agree on. */
export function bookChecksum(book: Book): number {
  let covered = "";
  for (const ranking of rankings(book.offers.values(), book.row)) {
    for (const offer of ranking.offers.slice(0, CHECKED_DEPTH)) {
      covered += `${offer.offerId}:${offer.principalSats}:${offer.availableSats}\n`;
    }
  }
  return crc32c(covered);
}

function apply(draft: Book, op: v.InferOutput<typeof operation>): void {
  switch (op.op) {
    case "offer":
      draft.offers.set(op.offer.offerId, op.offer);
      break;
    case "offer_gone":
      draft.offers.delete(op.offerId);
      break;
    case "loan":
      draft.loans.set(op.loan.id, op.loan);
      break;
    case "loan_gone":
      draft.loans.delete(op.id);
      break;
    case "row":
      draft.row = op.row;
      break;
  }
}
