import type { Collection } from "@/shared/api/collection";
import type { Loan, RefinanceOrder } from "@/shared/api/loan";
import type { Wire } from "@/shared/api/operation";
import { pledgedRaw } from "@/shared/api/pledge";
import { satsToWire } from "@/shared/api/request";
import { amountSats, amountText } from "@/shared/format/btc-amount";
import { typedBps } from "@/shared/format/percent";
import type { TermBounds } from "@/shared/ui/term-bounds";

const DAYS_BEFORE_DEFAULT = 3;
const DAYS_BEFORE_CHOICES = [1, 3, 7, 14];

/** A standing order, as entered. */
export interface OrderDraft extends TermBounds {
  /** Bitcoin as text. */
  principalText: string;
  /** Percent as text. */
  interestText: string;
  daysBefore: number;
}

/** The terms of the offers that can be against the collateral of a loan, in days, ascending; never empty. */
export function orderTerms(loan: Loan, { subCollections }: Pick<Collection, "subCollections">): number[] {
  const pledged = pledgedRaw(loan);
  const fitting = subCollections.filter(
    ({ manual, instant, bundleSize }) =>
      (manual || instant) && (bundleSize === null || bundleSize === pledged),
  );
  const { refinanceOrder: order } = loan;
  const own = order === null ? [] : [order.termMinDays, order.termMaxDays];
  const terms = new Set([...fitting.map(({ term }) => term), ...own]);
  return terms.size === 0 ? [loan.term] : [...terms].sort((one, other) => one - other);
}

/**
 * The loan's standing order; without one a draft whose principal repays the loan, at no more interest than
 * now, for any of the terms.
 */
export function orderDraft(loan: Loan, terms: readonly number[]): OrderDraft {
  const { refinanceOrder: order } = loan;
  if (order === null) {
    return {
      principalText: amountText(loan.payoutSats),
      interestText: String(loan.interest),
      termMinDays: terms[0] ?? loan.term,
      termMaxDays: terms.at(-1) ?? loan.term,
      daysBefore: DAYS_BEFORE_DEFAULT,
    };
  }
  const { principalMinSats, interestMaxPercentage, ...days } = order;
  return {
    principalText: amountText(principalMinSats),
    interestText: String(interestMaxPercentage),
    ...days,
  };
}

/** The days before the due date to choose from, among them the order's own. */
export function daysBeforeChoices({ refinanceOrder }: Pick<Loan, "refinanceOrder">): number[] {
  const own = refinanceOrder?.daysBefore ?? DAYS_BEFORE_DEFAULT;
  return [...new Set([...DAYS_BEFORE_CHOICES, own])].sort((one, other) => one - other);
}

/** The reason why the order cannot be saved yet, the first one; null when it can. */
export function orderError({ principalText, interestText }: OrderDraft): string | null {
  if (amountSats(principalText) === 0n) return "Enter the least principal.";
  if (typedBps(interestText) === null) return "Enter the highest interest, with at most two decimals.";
  return null;
}

/** The entered order; null while something is missing. */
export function orderOf(draft: OrderDraft): RefinanceOrder | null {
  const interestMax = typedBps(draft.interestText);
  if (orderError(draft) !== null || interestMax === null) return null;
  const { termMinDays, termMaxDays, daysBefore } = draft;
  return {
    principalMinSats: amountSats(draft.principalText),
    interestMaxPercentage: interestMax / 100,
    termMinDays,
    termMaxDays,
    daysBefore,
  };
}

/** The request that sets an order. */
export function orderBody(order: RefinanceOrder): Wire["SetRefinanceOrder"] {
  const { principalMinSats, interestMaxPercentage, ...days } = order;
  return {
    principalMinSats: satsToWire(principalMinSats),
    interestMax: Math.round(interestMaxPercentage * 100),
    ...days,
  };
}
