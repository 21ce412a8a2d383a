import type { Loan, RefinanceOrder } from "@/shared/api/loan";
import { formatMoment } from "@/shared/format/age";
import { daysText } from "@/shared/format/days";
import { formatPercent } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import type { RefinanceOffer } from "./refinance-choice";

const DAY_MS = 86_400_000;

/** What the least principal means for the repayment of the loan. */
export function leastPrincipalText({ payoutSats }: Pick<Loan, "payoutSats">, leastSats: bigint): string {
  return leastSats >= payoutSats
    ? `Covers the ${formatBtcPaid(payoutSats)} BTC that you repay`
    : `You add up to ${formatBtcPaid(payoutSats - leastSats)} BTC to repay this loan`;
}

/** The time from which an offer is looked for; null before the loan has a due date. */
export function orderStart(
  { dueAt }: Pick<Loan, "dueAt">,
  { daysBefore }: Pick<RefinanceOrder, "daysBefore">,
): number | null {
  return dueAt === null ? null : dueAt - daysBefore * DAY_MS;
}

/** `At least 0.05150 BTC at up to 3%, for 7 to 30 days`. */
export function orderTermsText(order: RefinanceOrder): string {
  const { principalMinSats, interestMaxPercentage, termMinDays, termMaxDays } = order;
  const days =
    termMinDays === termMaxDays ? daysText(termMinDays) : `${termMinDays} to ${daysText(termMaxDays)}`;
  return `At least ${formatBtcPaid(principalMinSats)} BTC at up to ${formatPercent(interestMaxPercentage)}, for ${days}`;
}

/** When an order acts, as the beginning of a sentence: `From 12 Dec 2026, 14:00 on`, or `From now on`. */
export function orderStartText(
  loan: Pick<Loan, "dueAt">,
  order: Pick<RefinanceOrder, "daysBefore">,
  nowMs: number,
): string {
  const start = orderStart(loan, order);
  if (start === null) return `From ${daysText(order.daysBefore)} before the due date on`;
  return start <= nowMs ? "From now on" : `From ${formatMoment(start)} on`;
}

/** What an order does and does not do. */
export function orderMeaning(
  loan: Pick<Loan, "dueAt">,
  order: Pick<RefinanceOrder, "daysBefore">,
  nowMs: number,
): string {
  return `Nothing is signed or reserved now. ${orderStartText(loan, order, nowMs)}, Lienbook looks for the best offer within these terms and asks you to sign it: by a notice here, and by email or Telegram if you have set them up. Until you sign, this loan continues, and its due date still applies.`;
}

/** The offers that are within an order now, the best one first: the one with the lowest interest per day. */
export function fittingOffersText(offers: readonly RefinanceOffer[]): string {
  const [best] = offers;
  if (!best) return "None now";
  const { principal, term, interest } = best;
  const text = `${formatBtcPaid(principal)} BTC for ${daysText(term)} at ${formatPercent(interest)}`;
  return offers.length === 1 ? text : `${offers.length} now, the best ${text}`;
}
