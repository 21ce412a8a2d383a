import type { Loan } from "@/shared/api/loan";
import { formatDailyInterest, formatPercent } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import type { RefinanceOffer } from "./refinance-choice";

/** A running loan and the one that would replace it, side by side. */
export function RefinanceComparison({ loan, offer }: { loan: Loan; offer: RefinanceOffer }) {
  const rows: Array<[label: string, old: string, next: string]> = [
    ["Principal, BTC", formatBtc(loan.principal, 8), formatBtc(offer.principal, 8)],
    ["Interest", formatPercent(loan.interest), formatPercent(offer.interest)],
    ["Term", `${loan.term} days`, `${offer.term} days`],
    [
      "Interest a day",
      formatDailyInterest(loan.interest, loan.term),
      formatDailyInterest(offer.interest, offer.term),
    ],
    ["You repay, BTC", formatBtc(loan.payoutSats, 8), formatBtc(offer.payoutSats, 8)],
  ];
  const { differenceSats } = offer;
  return (
    <div className="rounded-card border border-line bg-ground px-4 py-3 text-sm">
      <table className="w-full">
        <caption className="sr-only">The current loan and the one that would replace it</caption>
        <thead>
          <tr className="text-xs text-muted">
            <td />
            <th scope="col" className="pb-1.5 text-right font-normal">
              This loan
            </th>
            <th scope="col" className="pb-1.5 text-right font-normal">
              New loan
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, old, next]) => (
            <tr key={label}>
              <th scope="row" className="py-1 text-left font-normal text-soft">
                {label}
              </th>
              <td className="py-1 text-right text-soft">{old}</td>
              <td className="py-1 text-right">{next}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 flex justify-between gap-3 border-t border-line pt-2.5">
        <span className="text-soft">{differenceSats < 0n ? "You add now" : "You receive now"}</span>
        <span className="font-strong">
          {formatBtc(differenceSats < 0n ? -differenceSats : differenceSats, 8)}{" "}
          <span className="font-normal text-muted">BTC</span>
        </span>
      </p>
    </div>
  );
}
