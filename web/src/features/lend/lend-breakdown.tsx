import { type OfferRank, rankText } from "@/shared/bitcoin/offer-rank";
import { formatApy } from "@/shared/format/percent";
import { formatBtc, formatBtcPaid } from "@/shared/format/sats";
import { Btc, SumGrid, SumLine } from "@/shared/ui/sum-lines";
import { BreakdownExplanation } from "./breakdown-explanation";
import type { LendSummary } from "./lend-summary";

/** The figures of the offer, live: principal, return, rank, and risks. */
export function LendBreakdown({
  summary,
  count,
  follows = null,
  rank,
  collateral,
  isInstant = false,
  together,
}: {
  summary: LendSummary;
  count: number;
  /** The price that the principal follows; null if it is fixed. */
  follows?: string | null;
  /** Null while the book, or the amount, is unknown. */
  rank: OfferRank | null;
  collateral: string;
  /** A vault pays at once, and the offer pauses by itself. */
  isInstant?: boolean;
  /** Totals of the selection, where it has more than one offer. */
  together?: { count: number; totalSats: bigint };
}) {
  const { principalSats, interestSats, platformFeeSats, lentSats, payoutSats, termDays, apy } = summary;
  const isEmpty = principalSats === 0n;
  const all = together ?? { count, totalSats: summary.totalSats };
  const btc = (sats: bigint) =>
    isEmpty ? <span className="text-muted">–</span> : <Btc>{formatBtc(sats, 8)}</Btc>;
  return (
    <section aria-label="Loan breakdown" className="rounded-card border border-line bg-ground">
      <div
        className="flex items-center justify-between gap-3 border-b border-line py-2 pr-4 pl-2 text-sm"
        data-testid="rank"
      >
        <span className="flex items-center gap-1 text-soft">
          <BreakdownExplanation isInstant={isInstant} />
          Would rank
        </span>
        <strong className="text-right font-strong text-text" aria-live="polite">
          {rank ? rankText(rank) : "–"}
        </strong>
      </div>
      <SumGrid>
        <SumLine label={follows === null ? "You lend" : "You lend now"} stacked>
          {btc(principalSats)}
        </SumLine>
        {platformFeeSats > 0n && (
          <>
            <SumLine label="Platform fee, at the start" stacked>
              {btc(platformFeeSats)}
            </SumLine>
            <SumLine label={isInstant ? "Leaves your vault" : "Leaves your wallet"} stacked>
              {btc(lentSats)}
            </SumLine>
          </>
        )}
        <SumLine label="You are repaid" strong stacked>
          {btc(payoutSats)}
        </SumLine>
        <SumLine label="Interest" stacked>
          {btc(interestSats)}
        </SumLine>
        <SumLine label="APY" stacked>
          {formatApy(apy)}
        </SumLine>
        <SumLine label="Term" stacked>
          {termDays} days
        </SumLine>
        {all.count > 1 && (
          <SumLine label={`All ${all.count} offers together`} whole>
            <Btc>{formatBtcPaid(all.totalSats)}</Btc>
          </SumLine>
        )}
      </SumGrid>
      <div className="border-t border-line px-4 py-2.5 text-xs text-soft">
        <h3 className="mb-1 text-xs text-text">What can happen</h3>
        <ul className="flex flex-col gap-1">
          {follows !== null && (
            <li>
              The principal moves with the {follows} until a borrower signs. A loan keeps the principal it
              started with.
            </li>
          )}
          <li>
            Repaid within {termDays} days:{" "}
            {isEmpty ? "principal and interest arrive" : `${formatBtc(payoutSats, 8)} BTC arrives`} in your
            wallet.
          </li>
          {isInstant && (
            <li>
              When a borrower accepts, your vault pays at once. You sign nothing more, and can cancel until
              then.
            </li>
          )}
          <li>
            Not repaid: you receive {collateral}, whatever that is worth then. No price ends the loan early.
          </li>
        </ul>
      </div>
    </section>
  );
}
