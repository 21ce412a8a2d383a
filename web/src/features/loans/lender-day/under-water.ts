import { type Collection, decimalsOf } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import { valueSats } from "@/shared/api/loan-to-value";
import { pledgedRaw } from "@/shared/api/pledge";

/** A loan whose collateral is worth less than what is owed. */
export interface UnderWaterLoan {
  loan: Loan;
  /** The value of the collateral at the current price. */
  worthSats: bigint;
  shortSats: bigint;
}

export interface UnderWater {
  /** The largest gap first. */
  loans: UnderWaterLoan[];
  /** Number of loans whose collateral has no price now. */
  unpriced: number;
}

/** The loans whose payout exceeds the value of their collateral at the floor or the token's price. */
export function underWater(loans: readonly Loan[], market: ReadonlyMap<string, Collection>): UnderWater {
  const found: UnderWaterLoan[] = [];
  let unpriced = 0;
  for (const loan of loans) {
    const row = market.get(loan.groupId);
    if (!row || row.unitPrice === null) {
      unpriced += 1;
      continue;
    }
    const worthSats = valueSats(pledgedRaw(loan), decimalsOf(row), row.unitPrice);
    const shortSats = loan.payoutSats - worthSats;
    if (shortSats > 0n) found.push({ loan, worthSats, shortSats });
  }
  found.sort((a, b) => Number(b.shortSats - a.shortSats) || (a.loan.loanId < b.loan.loanId ? -1 : 1));
  return { loans: found, unpriced };
}

export function shortTotal({ loans }: UnderWater): bigint {
  return loans.reduce((sum, { shortSats }) => sum + shortSats, 0n);
}
