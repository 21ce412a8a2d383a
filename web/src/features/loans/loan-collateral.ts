import { unitOf } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { allInscriptions, inscriptionsText, isSeveral } from "@/shared/api/pledge";
import { capitalized } from "@/shared/format/capitalized";
import { shortenAddress } from "@/shared/format/name";
import { formatTokenAmount } from "@/shared/format/unit-price";

const BRC20_DECIMALS = 18;

/** The pledged collateral as text: `Inscription 3fa9…e1i0`, `5 inscriptions` or `1,000 DOG`. */
export function collateralText(loan: Loan): string {
  const { inscriptionIds } = loan;
  if (loan.collateralType === "inscription") {
    const [only] = inscriptionIds;
    return isSeveral(loan) || only === undefined
      ? inscriptionsText(Math.max(1, inscriptionIds.length))
      : `Inscription ${shortenAddress(only, 5)}`;
  }
  const decimals = loan.runeDecimals ?? (loan.collateralType === "brc20" ? BRC20_DECIMALS : 0);
  const name = unitOf(loan);
  return `${formatTokenAmount(loan.fungibleAmount ?? 0n, decimals)} ${name}`;
}

/** The collateral within a sentence: `the collateral`, or `all 5 inscriptions`. */
export function allCollateral(loan: Pick<Loan, "inscriptionIds">): string {
  return isSeveral(loan) ? allInscriptions(loan.inscriptionIds.length) : "the collateral";
}

/** The arrival of the collateral in the user's wallet, as the beginning of a sentence. */
export function arrivalText(loan: Pick<Loan, "inscriptionIds">): string {
  const arrival = `${isSeveral(loan) ? "arrive" : "arrives"} at your ordinals address with the next block`;
  const outputs = isSeveral(loan) ? ", each in an output of its own" : "";
  return `${capitalized(allCollateral(loan))} ${arrival}${outputs}`;
}

/** `The collateral is`, `All 5 inscriptions are`. */
export function collateralIs(loan: Pick<Loan, "inscriptionIds">): string {
  return `${capitalized(allCollateral(loan))} ${isSeveral(loan) ? "are" : "is"}`;
}
