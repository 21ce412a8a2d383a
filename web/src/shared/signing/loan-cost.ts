import * as v from "valibot";
import { requestFile } from "@/shared/api/request";
import { percent, sats } from "@/shared/api/wire";
import { formatApy } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { saveFile } from "@/shared/ui/save-file";
import type { YearlyFacts } from "./signing-facts";

/** The cost of a loan to its borrower; `apr` is null above 99,999 %. */
export const loanCost = v.object({
  interestSats: sats,
  repaymentFeeEstimateSats: sats,
  totalCostSats: sats,
  totalPayableSats: sats,
  apr: v.nullable(percent),
});
export type LoanCost = v.InferOutput<typeof loanCost>;

/** The result of a loan for its lender; `yearlyReturn` is null above 99,999 %. */
export const lenderReturn = v.object({ gainSats: sats, yearlyReturn: v.nullable(percent) });

const btc = (value: bigint) => `${formatBtc(value, 8)} BTC`;

/** The total cost and the APR of loans that are signed together. */
export function costFacts(loans: ReadonlyArray<{ loanId: string; cost: LoanCost }>): YearlyFacts {
  const sum = (of: (cost: LoanCost) => bigint) => loans.reduce((total, { cost }) => total + of(cost), 0n);
  const estimate = btc(sum((cost) => cost.repaymentFeeEstimateSats));
  return {
    totalName: "Total cost",
    total: btc(sum((cost) => cost.totalCostSats)),
    totalNote: `Interest and network fees, of which about ${estimate} for the repayment. You pay ${btc(sum((cost) => cost.totalPayableSats))} in all, and no platform fee.`,
    rateName: "APR",
    rate: rateText(loans.map(({ cost }) => cost.apr)),
    rateNote: "The cost as a yearly rate, fees included. A short term makes it high.",
    loanIds: loans.map(({ loanId }) => loanId),
  };
}

/** The gain and the yearly return of a lender. */
export function returnFacts(loanId: string, result: v.InferOutput<typeof lenderReturn>): YearlyFacts {
  return {
    totalName: "Gain",
    total: btc(result.gainSats),
    totalNote: "Interest less the platform's fee, if the loan is repaid.",
    rateName: "Yearly return",
    rate: rateText([result.yearlyReturn]),
    rateNote: "The gain as a yearly rate, if it is lent again at once. A short term makes it high.",
    loanIds: [loanId],
  };
}

/** The rate, or the lowest and the highest of several. */
function rateText(rates: ReadonlyArray<number | null>): string {
  const sorted = rates.map((rate) => rate ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const [low = 0, high = low] = [sorted[0], sorted.at(-1)];
  return low === high ? shown(low) : `${shown(low)} to ${shown(high)}`;
}

function shown(rate: number): string {
  return Number.isFinite(rate) ? formatApy(rate) : "over 99,999%";
}

/** Saves the terms of loans, each as a file that opens without this site. */
export async function saveTerms(loanIds: readonly string[]): Promise<void> {
  for (const loanId of loanIds) {
    const terms = await requestFile("/api/v1/loans/{loan_id}/information", { path: { loan_id: loanId } });
    saveFile(`lienbook-loan-${loanId}-terms.html`, "text/html", terms);
  }
}
