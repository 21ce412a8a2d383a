import { unitOf } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { shortenAddress } from "@/shared/format/name";
import { formatTokenAmount } from "@/shared/format/unit-price";

const BRC20_DECIMALS = 18;

/** The pledged collateral as text: `Inscription 3fa9…e1i0` or `1,000 DOG`. */
export function collateralText(loan: Loan): string {
  if (loan.collateralType === "inscription") {
    return loan.inscriptionId ? `Inscription ${shortenAddress(loan.inscriptionId, 5)}` : "1 inscription";
  }
  const decimals = loan.runeDecimals ?? (loan.collateralType === "brc20" ? BRC20_DECIMALS : 0);
  const name = unitOf(loan);
  return `${formatTokenAmount(loan.fungibleAmount ?? 0n, decimals)} ${name}`;
}
