import type { MyOffer } from "@/shared/api/my-offer";
import { formatTokenAmount } from "@/shared/format/unit-price";

const BRC20_DECIMALS = 18;

/** Raw collateral in words: `1 inscription`, `1,000 DOG`. */
export function offerCollateral(offer: MyOffer, raw: bigint): string {
  if (offer.collateralType === "inscription") return raw === 1n ? "1 inscription" : `${raw} inscriptions`;
  const decimals = offer.runeDecimals ?? (offer.collateralType === "brc20" ? BRC20_DECIMALS : 0);
  return `${formatTokenAmount(raw, decimals, 2)} ${offer.runeName ?? offer.collectionSymbol}`;
}

/** How much of the principal is lent, in tenths of a percent, for a bar and its number. */
export function filledPercent({
  principal,
  usedPrincipal,
}: Pick<MyOffer, "principal" | "usedPrincipal">): number {
  if (principal <= 0n) return 0;
  return Number((usedPrincipal * 1_000n) / principal) / 10;
}
