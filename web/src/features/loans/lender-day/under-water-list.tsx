import { Link } from "react-router";
import { truncateName } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { ShortList } from "@/shared/ui/short-list";
import { loansText } from "../loans-text";
import { LenderDayPart } from "./lender-day-part";
import type { UnderWater } from "./under-water";

/** The loans whose collateral is worth less than what is owed, with links to them. */
export function UnderWaterList({ below: { loans, unpriced } }: { below: UnderWater }) {
  const byId = new Map(loans.map((each) => [each.loan.loanId, each]));
  return (
    <LenderDayPart title="Under water: owed more than the collateral is worth">
      {loans.length > 0 && (
        <ShortList label="Loans under water" ids={[...byId.keys()]} className="gap-1.5">
          {(loanId) => {
            const below = byId.get(loanId);
            return (
              below && (
                <Link
                  to={`/portfolio?tab=loans&loan=${loanId}`}
                  className="group flex items-baseline justify-between gap-3 rounded-control text-sm"
                >
                  <span className="min-w-0 truncate underline-offset-4 group-hover:underline">
                    {truncateName(below.loan.collectionName)}
                  </span>
                  <span className="shrink-0 text-xs whitespace-nowrap text-muted">
                    {formatBtc(below.loan.payoutSats)} owed, worth{" "}
                    <span className="text-down">{formatBtc(below.worthSats)}</span> ₿
                  </span>
                </Link>
              )
            );
          }}
        </ShortList>
      )}
      {unpriced > 0 && (
        <p className="text-xs text-muted">
          {loansText(unpriced)} {unpriced === 1 ? "has" : "have"} collateral without a price now.
        </p>
      )}
    </LenderDayPart>
  );
}
