import { checksumOf, type Ranking as RankingOf, serverRankings } from "./ranking.ts";
import type { BookLoan, BookOffer, Row } from "./types.ts";

/** The largest number of offers, and of loans, that a copy holds. */
const ITEMS_MAX = 1_000_000;

/** The state of an order book. */
export interface BookOf<BookRow, Offer extends { offerId: string }, Loan extends { id: string }> {
  row: BookRow;
  offers: Map<string, Offer>;
  loans: Map<string, Loan>;
}

/** An operation of a delta: the absolute new state of one thing. */
export type BookOperation<BookRow, Offer, Loan> =
  | { op: "offer"; offer: Offer }
  | { op: "offer_gone"; offerId: string }
  | { op: "loan"; loan: Loan }
  | { op: "loan_gone"; id: string }
  | { op: "row"; row: BookRow };

/** The public state of one order book. */
export type Book = BookOf<Row, BookOffer, BookLoan>;

/** Offers that compete with each other, the best one for the borrower first. */
export type Ranking = RankingOf<BookOffer>;

/** Returns a book with these parts. */
export function bookOf<BookRow, Offer extends { offerId: string }, Loan extends { id: string }>(parts: {
  row: BookRow;
  offers: readonly Offer[];
  loans: readonly Loan[];
}): BookOf<BookRow, Offer, Loan> {
  return {
    row: parts.row,
    offers: new Map(parts.offers.map((offer) => [offer.offerId, offer])),
    loans: new Map(parts.loans.map((loan) => [loan.id, loan])),
  };
}

/** Applies an operation that was read. */
export function applyOperation<BookRow, Offer extends { offerId: string }, Loan extends { id: string }>(
  book: BookOf<BookRow, Offer, Loan>,
  operation: BookOperation<BookRow, Offer, Loan>,
): void {
  switch (operation.op) {
    case "offer":
      book.offers.set(operation.offer.offerId, operation.offer);
      break;
    case "offer_gone":
      book.offers.delete(operation.offerId);
      break;
    case "loan":
      book.loans.set(operation.loan.id, operation.loan);
      break;
    case "loan_gone":
      book.loans.delete(operation.id);
      break;
    case "row":
      book.row = operation.row;
      break;
  }
}

/** Reads the data of a snapshot; fails if it is none. */
export function readBook(data: unknown): Book {
  const { row, offers, loans } = object(data);
  if (!Array.isArray(offers) || !Array.isArray(loans)) throw new Error("a snapshot without offers or loans");
  const book = bookOf({ row: readRow(row), offers: offers.map(readOffer), loans: loans.map(readLoan) });
  checkSize(book);
  return book;
}

/** Applies an operation of a delta; fails if it cannot be read. */
export function applyToBook(book: Book, operation: unknown): void {
  applyOperation(book, readOperation(operation));
  checkSize(book);
}

/** The rankings of the offers that anyone can take: by sub-collection, manual before instant. */
export function rankings(book: Book): Ranking[] {
  return serverRankings(book.offers.values(), amountsOf, book.row.runeDecimals ?? 0);
}

/** CRC-32C over the best offers of every ranking. */
export function bookChecksum(book: Book): number {
  return checksumOf(book.offers.values(), amountsOf, book.row.runeDecimals ?? 0);
}

function amountsOf(offer: BookOffer) {
  return {
    principalSats: BigInt(offer.principal_amount_sats),
    availableSats: BigInt(offer.available_sats),
    raw: BigInt(offer.fungible_amount ?? 1),
  };
}

function checkSize(book: Book): void {
  if (Math.max(book.offers.size, book.loans.size) > ITEMS_MAX) throw new Error("too many items in a book");
}

function readOperation(operation: unknown): BookOperation<Row, BookOffer, BookLoan> {
  const { op, offer, offerId, loan, id, row } = object(operation);
  switch (op) {
    case "offer":
      return { op, offer: readOffer(offer) };
    case "offer_gone":
      return { op, offerId: word(offerId) };
    case "loan":
      return { op, loan: readLoan(loan) };
    case "loan_gone":
      return { op, id: word(id) };
    case "row":
      return { op, row: readRow(row) };
    default:
      throw new Error(`an unknown operation: ${String(op)}`);
  }
}

function readLoan(value: unknown): BookLoan {
  word(object(value).id);
  return value as BookLoan;
}

function readOffer(value: unknown): BookOffer {
  const offer = object(value);
  const amount = offer.fungible_amount;
  const isRead =
    /^of_[0-9a-f]{1,16}$/.test(word(offer.offerId)) &&
    /^\d{1,5}$/.test(word(offer.subCollectionId)) &&
    Number.isSafeInteger(offer.principal_amount_sats) &&
    Number.isSafeInteger(offer.available_sats) &&
    (amount === null || /^\d{1,39}$/.test(word(amount)));
  if (!isRead) throw new Error("an offer that cannot be read");
  return value as BookOffer;
}

function readRow(value: unknown): Row {
  const row = object(value);
  const decimals = row.runeDecimals;
  const isRead =
    decimals === null || (Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= 38);
  if (typeof row.id !== "string" || !isRead) throw new Error("a row that cannot be read");
  return value as Row;
}

function object(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new Error("not an object");
  return value as Record<string, unknown>;
}

function word(value: unknown): string {
  if (typeof value !== "string" || value.length > 100) throw new Error("not a short text");
  return value;
}
