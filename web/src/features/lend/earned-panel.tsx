import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useState } from "react";
import { type Backtest, backtestQuery, type TestedOffer } from "@/shared/api/backtest";
import type { Collection } from "@/shared/api/collection";
import { formatApy } from "@/shared/format/percent";
import { formatBtcExact, formatBtcPaid } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { ChartSkeleton } from "@/shared/ui/chart-skeleton";
import { classNames } from "@/shared/ui/class-names";
import { Btc, SumGrid, SumLine } from "@/shared/ui/sum-lines";
import { earnedHistory, endedResult } from "./earned-history";

// Lazy, because only the chart needs its libraries.
const HistoryChart = lazy(() => import("@/shared/ui/history-chart"));

/** Typing pauses before an amount is tested. */
const SETTLE_MS = 350;

/** The return that the offer would have had in the last 90 days, on demand. */
export function EarnedPanel({ row, offer }: { row: Collection; offer: TestedOffer | null }) {
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  return (
    <section aria-label="What this offer would have earned" className="rounded-card border border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={contentId}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-11 w-full items-center justify-between gap-3 rounded-card px-4 py-2 text-left text-sm text-soft hover:text-text"
      >
        What would this offer have earned?
        <ChevronDown size={16} aria-hidden className={classNames("shrink-0", isOpen && "rotate-180")} />
      </button>
      <div id={contentId} hidden={!isOpen} className="border-t border-line">
        {isOpen &&
          (offer === null ? <Message>Enter an amount first.</Message> : <Earned row={row} offer={offer} />)}
      </div>
    </section>
  );
}

function Earned({ row, offer }: { row: Collection; offer: TestedOffer }) {
  const settled = useSettled(offer);
  const { data, isError, isFetching, refetch } = useQuery(backtestQuery(row, settled));
  if (isError && !data) {
    return (
      <Message>
        Failed to load the record. Your offer does not depend on it.
        <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? "Loading..." : "Try again"}
        </Button>
      </Message>
    );
  }
  if (!data) {
    return (
      <div className="h-56 p-4">
        <ChartSkeleton />
      </div>
    );
  }
  return (
    <div
      aria-busy={isFetching}
      className={classNames("flex flex-col transition-opacity", isFetching && "opacity-60")}
    >
      {data.loanCount === data.runningCount ? <NoLoans report={data} /> : <Figures report={data} />}
      <p className="border-t border-line px-4 py-2.5 text-xs text-muted">
        From the loans recorded {sinceText(data)}, as if this offer had stood all the time and been placed
        again after each loan. Other lenders and borrowers are assumed not to react. The next months may
        differ.
      </p>
    </div>
  );
}

function NoLoans({ report }: { report: Backtest }) {
  const { loanCount, beyondBudget } = report;
  if (loanCount > 0) {
    return (
      <Message>
        {loanCount === 1
          ? "One borrower would have taken it. That loan still runs."
          : `${loanCount} borrowers would have taken it. These loans still run.`}
      </Message>
    );
  }
  return (
    <Message>
      {beyondBudget > 0
        ? "Borrowers wanted more than this offer lends."
        : `No borrower would have taken it ${sinceText(report)}: each took a better offer, or there was none.`}
    </Message>
  );
}

function Figures({ report }: { report: Backtest }) {
  const history = useMemo(() => earnedHistory(report), [report]);
  const { loanCount, runningCount, defaultCount, lentSats, interestSats, yieldOnLent } = report;
  const lossSats = report.defaultCollateralSats - report.defaultPrincipalSats;
  return (
    <>
      <SumGrid>
        <SumLine label="Result, after fees" strong stacked>
          <Btc>{formatBtcPaid(endedResult(report))}</Btc>
        </SumLine>
        <SumLine label="A year, on what was lent" stacked>
          {yieldOnLent === null ? "–" : formatApy(yieldOnLent)}
        </SumLine>
        <SumLine label="Loans" stacked>
          {loanCount}
          {runningCount > 0 && <span className="text-muted"> ({runningCount} running)</span>}
        </SumLine>
        <SumLine label="Lent, in all" stacked>
          <Btc>{formatBtcPaid(lentSats)}</Btc>
        </SumLine>
        <SumLine label="Interest" stacked>
          <Btc>{formatBtcPaid(interestSats)}</Btc>
        </SumLine>
        <SumLine label="Not repaid" stacked>
          {defaultCount}
        </SumLine>
        {defaultCount > 0 && (
          <SumLine label="Collateral of these at its floor, less their principal" whole>
            <Btc>{formatBtcPaid(lossSats)}</Btc>
          </SumLine>
        )}
      </SumGrid>
      <div className="h-39 px-4 pb-3">
        <Suspense fallback={<ChartSkeleton />}>
          <HistoryChart history={history} name="Result" format={resultText} />
        </Suspense>
      </div>
    </>
  );
}

function resultText(value: number | null): string {
  return value === null ? "–" : formatBtcExact(BigInt(Math.round(value)));
}

const DAY_MS = 86_400_000;

function sinceText({ from, until }: Backtest): string {
  const days = Math.max(1, Math.round((until - from) / DAY_MS));
  return days === 1 ? "in the last day" : `in the last ${days} days`;
}

/** The last value that was followed by a pause. */
function useSettled(offer: TestedOffer): TestedOffer {
  const [settled, setSettled] = useState(offer);
  const key = JSON.stringify(offer, (_, value) => (typeof value === "bigint" ? String(value) : value));
  // biome-ignore lint/correctness/useExhaustiveDependencies: an equal offer is a new object at each render.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(offer), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}

function Message({ children }: { children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-col items-center justify-center gap-2 px-6 py-6 text-center text-sm text-soft"
    >
      {children}
    </div>
  );
}
