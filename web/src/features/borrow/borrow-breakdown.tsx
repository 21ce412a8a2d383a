import { formatBps, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Btc, SumLine } from "@/shared/ui/sum-lines";

const DAYS_PER_YEAR = 365;

export interface BreakdownFigures {
  principalSats: bigint;
  interestSats: bigint;
  payoutSats: bigint;
  /** Basis points; null while no price is known. */
  ltvBps: number | null;
  termDays: number;
}

/** Yearly rate in percent; zero without a loan. */
export function yearlyPercent({ principalSats, interestSats, termDays }: BreakdownFigures): number {
  if (principalSats === 0n || termDays <= 0) return 0;
  const share = Number((interestSats * 1_000_000n) / principalSats) / 1_000_000;
  return ((1 + share) ** (DAYS_PER_YEAR / termDays) - 1) * 100;
}

/** What the loan means, live: what arrives, what is to be repaid and by when, and what can happen. */
export function BorrowBreakdown({
  figures,
  collateral,
  process,
}: {
  figures: BreakdownFigures;
  /** What is pledged, in words. */
  collateral: string;
  process: "manual" | "instant";
}) {
  const { principalSats, interestSats, payoutSats, ltvBps, termDays } = figures;
  const isEmpty = principalSats === 0n;
  const btc = (sats: bigint, decimals: 5 | 8) => (isEmpty ? "–" : <Btc>{formatBtc(sats, decimals)}</Btc>);
  return (
    <section aria-label="Loan breakdown" className="rounded-card border border-line bg-ground text-sm">
      <dl className="flex flex-col gap-2 px-4 py-3">
        <SumLine label="You pledge">{isEmpty ? "–" : collateral}</SumLine>
        <SumLine label="You receive, less the network fee" strong>
          {btc(principalSats, 5)}
        </SumLine>
        <SumLine label="Interest">{btc(interestSats, 8)}</SumLine>
        <SumLine label="You repay" strong>
          {btc(payoutSats, 8)}
        </SumLine>
        <SumLine label="Within">{isEmpty ? "–" : `${termDays} days of the first block`}</SumLine>
        <SumLine label="LTV">{ltvBps === null ? "–" : formatBps(ltvBps)}</SumLine>
        <SumLine label="APY">{isEmpty ? "–" : formatPercentFixed(yearlyPercent(figures))}</SumLine>
      </dl>
      <div className="border-t border-line px-4 py-3 text-xs text-soft">
        <h3 className="mb-1 text-xs text-text">What can happen</h3>
        <ul className="flex flex-col gap-1">
          <li>Repaid in time: the collateral comes back to your wallet.</li>
          <li>Not repaid: the collateral goes to the lender. No price ends the loan earlier.</li>
          {process === "manual" && (
            <li>The lender has 12 hours to counter-sign. Without it nothing leaves your wallet.</li>
          )}
        </ul>
      </div>
    </section>
  );
}
