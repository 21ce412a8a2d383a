import type { CollateralType } from "@/shared/api/collection";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";

const SCALE = 100_000_000;
/** Sats; prices have eight decimals. */
export const PRICE_STEP_MIN = 1 / SCALE;

/** A price for display only, out of sats: BTC with five decimals for inscriptions, sats for tokens. */
export function formatPrice(price: number, type: CollateralType): string {
  if (type === "inscription") return formatBtc(BigInt(Math.round(price)));
  return formatUnitPrice(BigInt(Math.round(price * SCALE)));
}

export function priceUnit(type: CollateralType): string {
  return type === "inscription" ? "₿" : "sats";
}
