import type { BookOffer } from "./book";
import { type Collection, decimalsOf } from "./collection";

/** The LTV of an offer or a request must stay below this, in basis points. */
export const LTV_END_BPS = 9_900;

const SCALE_8 = 100_000_000n;
const BPS = 10_000n;

/**
 * LTV in basis points, rounded up, so that no screen shows less than the rule that pauses an offer applies.
 * `raw` is the collateral in its smallest unit (one for an inscription), `unitPrice` sats per whole unit
 * times 10^8.
 */
export function loanToValueBps(
  principalSats: bigint,
  raw: bigint,
  decimals: number,
  unitPrice: bigint,
): number | null {
  if (raw <= 0n || unitPrice <= 0n) return null;
  const quote = divideUp(principalSats * SCALE_8 * 10n ** BigInt(decimals), raw);
  return Number(divideUp(quote * BPS, unitPrice));
}

/**
 * Raw collateral of an offer: its own amount, else the bundle of its sub-collection, else one inscription.
 */
export function collateralOf(
  offer: { fungibleAmount: bigint | null; subCollectionId: string },
  row: Pick<Collection, "subCollections">,
): bigint {
  if (offer.fungibleAmount !== null) return offer.fungibleAmount;
  return row.subCollections.find((sub) => sub.id === offer.subCollectionId)?.bundleSize ?? 1n;
}

/** Raw collateral of every offer of a sub-collection; null where each lender chooses an amount. */
export function bundleOf(
  row: Pick<Collection, "subCollections" | "collateralType">,
  subCollectionId: string,
): bigint | null {
  const size = row.subCollections.find((sub) => sub.id === subCollectionId)?.bundleSize ?? null;
  return size ?? (row.collateralType === "inscription" ? 1n : null);
}

/** What an offer or a loan of the book lends, and against what. */
type Lent = Pick<BookOffer, "principalSats" | "fungibleAmount" | "subCollectionId">;
type Priced = Pick<Collection, "subCollections" | "unitPrice" | "collateralType" | "runeDecimals">;

/** Current LTV of an offer or a loan of `row`, in basis points; null while there is no price. */
export function currentLtvBps(lent: Lent, row: Priced): number | null {
  if (row.unitPrice === null) return null;
  return loanToValueBps(lent.principalSats, collateralOf(lent, row), decimalsOf(row), row.unitPrice);
}

/** The same in percent. */
export function currentLtvPercent(lent: Lent, row: Priced): number | null {
  const bps = currentLtvBps(lent, row);
  return bps === null ? null : bps / 100;
}

/** The value of collateral at the floor or the token's price, in whole sats, rounded down. */
export function valueSats(raw: bigint, decimals: number, unitPrice: bigint): bigint {
  return (raw * unitPrice) / (SCALE_8 * 10n ** BigInt(decimals));
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
