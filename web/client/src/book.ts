import { crc32c } from "../../src/shared/feed/crc32c.ts";
import type { BookLoan, BookOffer, Row } from "./types.ts";

/** The number of offers of each ranking that the checksum covers. */
const CHECKED_DEPTH = 10;
/** The largest number of offers, and of loans, that a copy holds. */
const ITEMS_MAX = 1_000_000;
const SCALE = 100_000_000n;
const QUOTE_MAX = 2n ** 64n - 1n;

/** The public state of one order book. */
export interface Book {
  row: Row;
  offers: Map<string, BookOffer>;
  loans: Map<string, BookLoan>;
}

/** Offers that compete with each other, the best one for the borrower first. */
export interface Ranking {
  subCollectionId: string;
  process: BookOffer["process"];
  offers: BookOffer[];
}

/** Reads the data of a snapshot; fails if it is none. */
export function readBook(data: unknown): Book {
  const { row, offers, loans } = object(data);
  if (!Array.isArray(offers) || !Array.isArray(loans)) throw new Error("a snapshot without offers or loans");
  const book: Book = { row: readRow(row), offers: new Map(), loans: new Map() };
  for (const offer of offers) applyToBook(book, { op: "offer", offer });
  for (const loan of loans) applyToBook(book, { op: "loan", loan });
  return book;
}

/** Applies an operation of a delta; fails if it cannot be read. */
export function applyToBook(book: Book, operation: unknown): void {
  const { op, offer, offerId, loan, id, row } = object(operation);
  switch (op) {
    case "offer":
      book.offers.set(readOffer(offer).offerId, readOffer(offer));
      break;
    case "offer_gone":
      book.offers.delete(word(offerId));
      break;
    case "loan":
      book.loans.set(word(object(loan).id), loan as BookLoan);
      break;
    case "loan_gone":
      book.loans.delete(word(id));
      break;
    case "row":
      book.row = readRow(row);
      break;
    default:
      throw new Error(`an unknown operation: ${String(op)}`);
  }
  if (Math.max(book.offers.size, book.loans.size) > ITEMS_MAX) throw new Error("too many items in a book");
}

/** The rankings of the offers that anyone can take: by sub-collection, manual before instant. */
export function rankings(book: Book): Ranking[] {
  const found = new Map<string, Ranking>();
  for (const offer of book.offers.values()) {
    if (offer.state !== "live") continue;
    const key = `${offer.subCollectionId}/${offer.process}`;
    const known = found.get(key) ?? {
      subCollectionId: offer.subCollectionId,
      process: offer.process,
      offers: [],
    };
    known.offers.push(offer);
    found.set(key, known);
  }
  const quotes = new Map([...book.offers].map(([id, offer]) => [id, quoteOf(offer, book.row)]));
  for (const { offers } of found.values()) {
    offers.sort((a, b) => {
      const [left, right] = [quotes.get(a.offerId) ?? 0n, quotes.get(b.offerId) ?? 0n];
      return left === right ? compareIds(a.offerId, b.offerId) : left > right ? -1 : 1;
    });
  }
  return [...found.values()].sort(
    (a, b) =>
      Number(a.subCollectionId) - Number(b.subCollectionId) ||
      Number(a.process === "instant") - Number(b.process === "instant"),
  );
}

/** CRC-32C over the best offers of every ranking. */
export function bookChecksum(book: Book): number {
  const covered = rankings(book).flatMap(({ offers }) => offers.slice(0, CHECKED_DEPTH));
  const lines = covered.map(
    ({ offerId, principal_amount_sats, available_sats }) =>
      `${offerId}:${principal_amount_sats}:${available_sats}\n`,
  );
  return crc32c(lines.join(""));
}

/** Sats per whole unit of collateral times 10^8, rounded up, as the server ranks. */
function quoteOf(offer: BookOffer, row: Row): bigint {
  const raw = BigInt(offer.fungible_amount ?? 1);
  const total = BigInt(offer.principal_amount_sats) * SCALE * 10n ** BigInt(row.runeDecimals ?? 0);
  const quote = raw > 0n ? (total + raw - 1n) / raw : QUOTE_MAX;
  return quote > QUOTE_MAX ? QUOTE_MAX : quote;
}

/** Ids carry a hexadecimal number without leading zeros: a longer one is a larger one. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
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
