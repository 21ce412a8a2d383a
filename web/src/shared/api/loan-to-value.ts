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

/** Current LTV of an offer or a loan of `row`, in percent; null while there is no price. */
export function currentLtvPercent(
  offer: { principalSats: bigint; fungibleAmount: bigint | null; subCollectionId: string },
  row: Pick<Collection, "subCollections" | "unitPrice" | "collateralType" | "runeDecimals">,
): number | null {
  if (row.unitPrice === null) return null;
  const bps = loanToValueBps(offer.principalSats, collateralOf(offer, row), decimalsOf(row), row.unitPrice);
  return bps === null ? null : bps / 100;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
