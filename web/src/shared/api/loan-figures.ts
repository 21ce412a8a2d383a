/** The platform's share of the interest, which the lender pays when a loan starts. */
export interface PlatformFee {
  /** Percent of the interest. */
  percent: number;
  /** A smaller output would not be relayed: below this there is no fee. */
  minSats: bigint;
}

export interface LoanFigures {
  principalSats: bigint;
  interestSats: bigint;
  /** The sum that the borrower repays and the lender receives: principal and interest. */
  payoutSats: bigint;
  platformFeeSats: bigint;
  /** The sum that a loan takes from its lender: the principal and the platform's fee. */
  lentSats: bigint;
  /** Percent a year, in hundredths as the server reports it. */
  apy: number;
  termDays: number;
}

const DAYS_PER_YEAR = 365;
/** The server's limit in percent, beyond which a yield is meaningless. */
const APY_MAX = 1_000_000_000_000;

/** Returns the figures of a loan for both sides, with the server's own rounding. */
export function loanFigures(
  principalSats: bigint,
  { interestBps, termDays }: { interestBps: number; termDays: number },
  fee: PlatformFee | null,
): LoanFigures {
  const interestSats = interestOf(principalSats, interestBps);
  const platformFeeSats = platformFeeOf(interestSats, fee);
  return {
    principalSats,
    interestSats,
    payoutSats: principalSats + interestSats,
    platformFeeSats,
    lentSats: principalSats + platformFeeSats,
    apy: apyPercent(interestBps, termDays),
    termDays,
  };
}

/** Returns the basis points behind a wire rate in percent. */
export function bpsOf(percent: number): number {
  return Math.max(0, Math.round(percent * 100));
}

/** Interest of a loan, rounded up. */
export function interestOf(principalSats: bigint, interestBps: number): bigint {
  return (principalSats * BigInt(interestBps) + 9_999n) / 10_000n;
}

/** The platform's share of an interest, rounded down. */
export function platformFeeOf(interestSats: bigint, fee: PlatformFee | null): bigint {
  if (fee === null) return 0n;
  const share = (interestSats * BigInt(fee.percent)) / 100n;
  return share < fee.minSats ? 0n : share;
}

/** Yearly yield in percent of compounding at the same terms, rounded once, to hundredths. */
export function apyPercent(interestBps: number, termDays: number): number {
  const yearly = (1 + interestBps / 10_000) ** (DAYS_PER_YEAR / Math.max(1, termDays)) - 1;
  return Math.min(APY_MAX, Math.round(yearly * 10_000) / 100);
}
