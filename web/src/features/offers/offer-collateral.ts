import type { MyOffer } from "@/shared/api/my-offer";
import { formatPercent } from "@/shared/format/percent";
import { formatTokenAmount } from "@/shared/format/unit-price";

const BRC20_DECIMALS = 18;

/** Raw collateral in words: `1 inscription`, `1,000 DOG`. */
export function offerCollateral(offer: MyOffer, raw: bigint): string {
  if (offer.collateralType === "inscription") return raw === 1n ? "1 inscription" : `${raw} inscriptions`;
  const decimals = offer.runeDecimals ?? (offer.collateralType === "brc20" ? BRC20_DECIMALS : 0);
  return `${formatTokenAmount(raw, decimals, 2)} ${offer.runeName ?? offer.collectionSymbol}`;
}

/** The lent share of the principal, rounded to tenths of a percent, for a bar and its number. */
export function filledPercent({
  principal,
  usedPrincipal,
}: Pick<MyOffer, "principal" | "usedPrincipal">): number {
  if (principal <= 0n) return 0;
  return Number((usedPrincipal * 1_000n) / principal) / 10;
}

/** The part of an offer that is not lent, reserved for a borrower or not. */
export function unlentSats({
  principal,
  usedPrincipal,
}: Pick<MyOffer, "principal" | "usedPrincipal">): bigint {
  return principal - usedPrincipal;
}

/** The lent part of an offer as text; null while there is none. */
export function fillText(offer: Pick<MyOffer, "principal" | "usedPrincipal">): string | null {
  if (offer.usedPrincipal === 0n) return null;
  const percent = filledPercent(offer);
  return percent === 0 ? "less than 0.1% filled" : `${formatPercent(percent)} filled`;
}
