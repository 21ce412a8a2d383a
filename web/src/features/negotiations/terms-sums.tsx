import { useQuery } from "@tanstack/react-query";
import { configQuery } from "@/shared/api/config";
import type { LoanRole } from "@/shared/api/loan";
import { loanFigures } from "@/shared/api/loan-figures";
import type { LoanTerms } from "@/shared/api/negotiation";
import { daysText } from "@/shared/format/days";
import { formatApy, formatBps } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";

/** The figures of a loan on these terms, for one side of it. */
export function TermsSums({
  terms,
  role,
  ltvBps,
}: {
  terms: LoanTerms;
  role: LoanRole;
  /** Null while it is unknown. */
  ltvBps: number | null;
}) {
  const { data: config } = useQuery(configQuery);
  const figures = loanFigures(terms.principalSats, terms, config?.platformFee ?? null);
  const isLender = role === "lender";
  return (
    <SumLines>
      <SumLine label={isLender ? "You lend" : "You receive, before the network fee"}>
        <Btc>{formatBtc(figures.principalSats, 8)}</Btc>
      </SumLine>
      {isLender && figures.platformFeeSats > 0n && (
        <SumLine label="Platform fee, at the start">
          <Btc>{formatBtc(figures.platformFeeSats, 8)}</Btc>
        </SumLine>
      )}
      <SumLine label={isLender ? "You are repaid" : "You repay"} strong>
        <Btc>{formatBtc(figures.payoutSats, 8)}</Btc>
      </SumLine>
      <SumLine label="Within">{daysText(terms.termDays)}</SumLine>
      <SumLine label="APY">{formatApy(figures.apy)}</SumLine>
      <SumLine label="LTV">{ltvBps === null ? "–" : formatBps(ltvBps)}</SumLine>
    </SumLines>
  );
}
