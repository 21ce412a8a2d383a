import { apyPercent } from "@/shared/api/loan-figures";
import { allInscriptions } from "@/shared/api/pledge";
import { daysText } from "@/shared/format/days";
import { formatApy, formatBps } from "@/shared/format/percent";
import { formatBtc, formatBtcPaid } from "@/shared/format/sats";
import { Btc, SumGrid, SumLine } from "@/shared/ui/sum-lines";

export interface BreakdownFigures {
  principalSats: bigint;
  interestSats: bigint;
  payoutSats: bigint;
  /** Basis points; null while no price is known. */
  ltvBps: number | null;
  /** For the whole term. */
  interestBps: number;
  termDays: number;
}

/** The figures of the loan, live: principal, repayment, due date, and risks. */
export function BorrowBreakdown({
  figures,
  collateral,
  process,
  follows = null,
  inscriptionCount = 1,
}: {
  figures: BreakdownFigures;
  /** The pledged collateral as text. */
  collateral: string;
  process: "manual" | "instant";
  /** The price that the principal follows until it is signed; null if it is fixed. */
  follows?: string | null;
  /** The number of inscriptions that secure the loan together; 1 with tokens. */
  inscriptionCount?: number;
}) {
  const { principalSats, interestSats, payoutSats, ltvBps, interestBps, termDays } = figures;
  const isEmpty = principalSats === 0n;
  const btc = (text: string) => (isEmpty ? "–" : <Btc>{text}</Btc>);
  return (
    <section aria-label="Loan breakdown" className="rounded-card border border-line bg-ground text-sm">
      <SumGrid>
        <SumLine label="You pledge" whole>
          {isEmpty ? "–" : collateral}
        </SumLine>
        <SumLine label="You receive, before the network fee" strong stacked>
          {btc(formatBtcPaid(principalSats))}
        </SumLine>
        <SumLine label="Interest" stacked>
          {btc(formatBtc(interestSats, 8))}
        </SumLine>
        <SumLine label="LTV" stacked>
          {ltvBps === null ? "–" : formatBps(ltvBps)}
        </SumLine>
        <SumLine label="You repay" strong stacked>
          {btc(formatBtc(payoutSats, 8))}
        </SumLine>
        <SumLine label="Within" stacked>
          {isEmpty ? "–" : `${daysText(termDays)} of the first confirmation`}
        </SumLine>
        <SumLine label="APY" stacked>
          {isEmpty ? "–" : formatApy(apyPercent(interestBps, termDays))}
        </SumLine>
      </SumGrid>
      <div className="border-t border-line px-4 py-2.5 text-xs text-soft">
        <h3 className="mb-1 text-xs text-text">What can happen</h3>
        <ul className="flex flex-col gap-1">
          {follows !== null && <li>The principal follows the {follows} until you sign. Then it is fixed.</li>}
          {inscriptionCount > 1 ? (
            <>
              <li>
                Repaid in time: {allInscriptions(inscriptionCount)} come back to your wallet, each in an
                output of its own.
              </li>
              <li>
                Not repaid: {allInscriptions(inscriptionCount)} go to the lender. No price ends the loan
                earlier.
              </li>
            </>
          ) : (
            <>
              <li>Repaid in time: the collateral comes back to your wallet.</li>
              <li>Not repaid: the collateral goes to the lender. No price ends the loan earlier.</li>
            </>
          )}
          {process === "manual" && (
            <li>The lender has 12 hours to counter-sign. Without it nothing leaves your wallet.</li>
          )}
        </ul>
      </div>
    </section>
  );
}
