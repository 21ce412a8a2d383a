import { type LendDraft, ltvOf, principalOf } from "./lend-draft";

/** The platform keeps this share of the interest. */
const FEE_PERCENT = 20n;
const DAYS_PER_YEAR = 365;

export interface LendSummary {
  principalSats: bigint;
  /** Principal of all offers together. */
  totalSats: bigint;
  /** Basis points; null without an amount or a price. */
  ltvBps: number | null;
  interestSats: bigint;
  /** The platform's share of the interest. */
  feeSats: bigint;
  /** What comes back of one loan: the principal and the interest after the fee. */
  receiveSats: bigint;
  termDays: number;
  /** Percent. */
  apy: number;
}

/** Yearly yield in percent of `interestPercent` per term, reinvested at the same terms. */
export function apyPercent(interestPercent: number, termDays: number): number {
  if (termDays <= 0) return 0;
  return ((1 + interestPercent / 100) ** (DAYS_PER_YEAR / termDays) - 1) * 100;
}

/** Everything the breakdown shows. The lender's side is rounded down, the fee up: never is more promised than paid. */
export function calculateSummary(draft: LendDraft): LendSummary {
  const { interestBps, termDays } = draft.target;
  const principalSats = principalOf(draft);
  const interestSats = (principalSats * BigInt(interestBps)) / 10_000n;
  const feeSats = (interestSats * FEE_PERCENT + 99n) / 100n;
  return {
    principalSats,
    totalSats: principalSats * BigInt(draft.count),
    ltvBps: ltvOf(draft.target, principalSats),
    interestSats,
    feeSats,
    receiveSats: principalSats + interestSats - feeSats,
    termDays,
    apy: apyPercent(interestBps / 100, termDays),
  };
}
