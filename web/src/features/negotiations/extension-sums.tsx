import type { LoanRole } from "@/shared/api/loan";
import { interestOf } from "@/shared/api/loan-figures";
import type { LoanTerms } from "@/shared/api/negotiation";
import { daysText } from "@/shared/format/days";
import { formatBps } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";

/** The figures of a running loan that is extended on these terms, for one side of it. */
export function ExtensionSums({
  terms: { principalSats, interestBps, termDays },
  role,
}: {
  terms: LoanTerms;
  role: LoanRole;
}) {
  const interestSats = interestOf(principalSats, interestBps);
  const isLender = role === "lender";
  return (
    <SumLines>
      <SumLine label="The principal stays lent">
        <Btc>{formatBtc(principalSats, 8)}</Btc>
      </SumLine>
      <SumLine label={`Interest of the next term, ${formatBps(interestBps)}`}>
        <Btc>{formatBtc(interestSats, 8)}</Btc>
      </SumLine>
      <SumLine label={isLender ? "You are repaid at its end" : "You repay at its end"} strong>
        <Btc>{formatBtc(principalSats + interestSats, 8)}</Btc>
      </SumLine>
      <SumLine label="Due later by">{daysText(termDays)}</SumLine>
    </SumLines>
  );
}
