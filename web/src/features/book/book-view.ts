import type { BookLoan, BookOffer } from "@/shared/api/book";
import type { Collection, ProcessType, SubCollection } from "@/shared/api/collection";
import { decimalsOf, unitOf } from "@/shared/api/collection";
import { bundleOf, collateralOf, currentLtvPercent, valueSats } from "@/shared/api/loan-to-value";
import type { MyOffer } from "@/shared/api/my-offer";
import { inscriptionsText } from "@/shared/api/pledge";
import type { Book } from "@/shared/feed/book-channel";
import { compareRank } from "@/shared/feed/ranking";
import { ANY_BORROWER, type Borrower, bestOfferFor, isOnlyFor } from "@/shared/feed/taker";
import { formatTokenAmount } from "@/shared/format/unit-price";

/** One sub-collection and process type of a book: offers that compete with one another. */
export interface BookSelection {
  subCollectionId: string;
  process: ProcessType;
}

export interface OfferLine {
  offer: BookOffer;
  own: boolean;
  /** Whether it is the best offer: of those that a borrower can take, or for a lender of the public ones. */
  best: boolean;
  /** Whether it names the user, so that no other borrower sees it. */
  isForMe: boolean;
  /** The available sum; for a reserved offer including the reserved part, which is not lent yet. */
  sats: bigint;
  ltv: number | null;
  /** Relative to the deepest line, 0 to 1. */
  depth: number;
}

export interface LoanLine {
  loan: BookLoan;
  own: boolean;
  ltv: number | null;
}

/** Offers of a selection in rank order; reserved ones are listed at their would-be rank. */
export function offerLines(
  book: Book,
  selection: BookSelection,
  borrower: Borrower,
  mode: "borrow" | "lend",
): OfferLine[] {
  const offers = [...book.offers.values()]
    .filter(
      (offer) => offer.subCollectionId === selection.subCollectionId && offer.process === selection.process,
    )
    .sort((a, b) => compareRank(a, b, book.row));
  const best = bestOfferFor(offers, mode === "borrow" ? borrower : ANY_BORROWER, book.row);
  const largest = offers.map(remainingSats).reduce((most, sats) => (sats > most ? sats : most), 1n);
  return offers.map((offer) => ({
    offer,
    own: offer.lenderId === borrower.userId,
    best: offer === best,
    isForMe: (offer.conditions?.borrowerAddress ?? null) !== null && offer.lenderId !== borrower.userId,
    sats: remainingSats(offer),
    ltv: currentLtvPercent(offer, book.row),
    depth: Number((remainingSats(offer) * 1_000n) / largest) / 1_000,
  }));
}

/** The offers that name the user and are not in the selection shown, best first. */
export function offersForUser(book: Book, selection: BookSelection, userId: string | null): BookOffer[] {
  const isShown = ({ subCollectionId, process }: BookOffer) =>
    subCollectionId === selection.subCollectionId && process === selection.process;
  return [...book.offers.values()]
    .filter((offer) => isOnlyFor(offer, userId) && !isShown(offer))
    .sort((a, b) => compareRank(a, b, book.row));
}

function remainingSats(offer: BookOffer): bigint {
  return offer.state === "reserved" ? offer.principalSats - offer.usedSats : offer.availableSats;
}

/** Loans of a sub-collection, the latest first. */
export function loanLines(book: Book, subCollectionId: string, userId: string | null): LoanLine[] {
  return [...book.loans.values()]
    .filter((loan) => loan.subCollectionId === subCollectionId)
    .sort((a, b) => b.acceptedAt - a.acceptedAt || (a.id < b.id ? -1 : 1))
    .map((loan) => ({
      loan,
      own: userId !== null && (loan.lenderId === userId || loan.borrowerId === userId),
      ltv: currentLtvPercent(loan, book.row),
    }));
}

export interface BookSummary {
  /** The available sum of the best offer: for a borrower of those that they can take. */
  bestSats: bigint | null;
  /** Whether that is not the public best offer. */
  isBestForUser: boolean;
  /** The value of the best offer's collateral, or of one bundle. */
  worthSats: bigint | null;
  /** The part of that value that the best offer does not lend, in percent. */
  spreadPercent: number | null;
  instantLiquiditySats: bigint;
  /** For a borrower without themselves, and with the lenders whose offers name them. */
  lenders: number;
  /** Whether others see another number of lenders. */
  areLendersForUser: boolean;
}

/**
 * The summary of the lines of a selection for a borrower or a lender. The instant liquidity is the public one: a book
 * does not contain the balances of the vaults that limit it.
 */
export function bookSummary(
  { row }: Book,
  selection: BookSelection,
  lines: readonly OfferLine[],
  mode: "borrow" | "lend",
): BookSummary {
  const best = lines.find((line) => line.best);
  const offers = lines.map(({ offer }) => offer);
  const publicLenders = lenderCount(lines.filter(({ isForMe }) => !isForMe));
  const lenders = mode === "borrow" ? lenderCount(lines.filter(({ own }) => !own)) : publicLenders;
  const raw = best ? takeableOf(best.offer, row) : bundleOf(row, selection.subCollectionId);
  return {
    bestSats: best?.sats ?? null,
    isBestForUser: (best?.offer ?? null) !== bestOfferFor(offers, ANY_BORROWER, row),
    worthSats: row.unitPrice === null || raw === null ? null : valueSats(raw, decimalsOf(row), row.unitPrice),
    spreadPercent: best?.ltv == null ? null : Math.max(0, 100 - best.ltv),
    instantLiquiditySats: row.instant?.liquiditySats ?? 0n,
    lenders,
    areLendersForUser: lenders !== publicLenders,
  };
}

function lenderCount(lines: readonly OfferLine[]): number {
  return new Set(lines.map(({ offer }) => offer.lenderId)).size;
}

/** The collateral of an offer that asks for more than one inscription, or for any amount of tokens; null otherwise. */
export function collateralText(
  { fungibleAmount, availableCollateral, process, state }: BookOffer,
  row: Collection,
): string | null {
  if (fungibleAmount === null) return null;
  if (row.collateralType === "inscription") return inscriptionsText(Number(fungibleAmount));
  if (process !== "instant" || state !== "live") return null;
  return formatTokenAmount(availableCollateral ?? fungibleAmount, decimalsOf(row), 2);
}

/** Raw collateral for the remainder of an offer. */
function takeableOf(offer: BookOffer, row: Collection): bigint {
  return offer.availableCollateral ?? collateralOf(offer, row);
}

/** Sub-collections that accept a process type. */
export function subCollectionsOf(row: Collection, process: ProcessType): SubCollection[] {
  return row.subCollections.filter((sub) => sub[process]);
}

/** The initial selection of a book: that of its best offer, else the first one. */
export function initialSelection(row: Collection, preferred: ProcessType): BookSelection | null {
  for (const process of [preferred, preferred === "manual" ? "instant" : "manual"] as const) {
    const [first] = subCollectionsOf(row, process);
    if (first) return { process, subCollectionId: row[process]?.bestSubCollectionId ?? first.id };
  }
  return null;
}

/** The distinguishing label of a sub-collection: its bundle, if any, and its term. */
export function subCollectionLabel(row: Collection, sub: SubCollection): string {
  const terms = `${sub.term} days, ${sub.interest}%`;
  if (sub.bundleSize === null) return terms;
  if (row.collateralType === "inscription") {
    return sub.bundleSize === 1n ? terms : `${sub.bundleSize} inscriptions, ${terms}`;
  }
  const amount = formatTokenAmount(sub.bundleSize, decimalsOf(row));
  return `${amount} ${unitOf(row)}, ${terms}`;
}

/** Whether the sub-collections differ by the amount of collateral. */
export function isBundled(row: Collection, subs: readonly SubCollection[]): boolean {
  return subs.some(
    ({ bundleSize }) => bundleSize !== null && (row.collateralType !== "inscription" || bundleSize > 1n),
  );
}

/** The best ranked of the user's own offers here; a paused one only if there is no other. */
export function ownBest(
  offers: Iterable<MyOffer>,
  groupId: string,
  selection: BookSelection,
): MyOffer | null {
  const process = selection.process === "manual" ? "Manual" : "Instant";
  let best: MyOffer | null = null;
  for (const offer of offers) {
    if (offer.groupId !== groupId || offer.subCollectionId !== selection.subCollectionId) continue;
    if (offer.loanProcessType !== process) continue;
    const rank = offer.offerRanking ?? Number.POSITIVE_INFINITY;
    if (best === null || rank < (best.offerRanking ?? Number.POSITIVE_INFINITY)) best = offer;
  }
  return best;
}
