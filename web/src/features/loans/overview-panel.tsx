import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { Link } from "react-router";
import type { Loan } from "@/shared/api/loan";
import { useMarket } from "@/shared/feed/use-feed";
import { truncateName } from "@/shared/format/name";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { useLiveLoans } from "@/shared/loans/loan-refresh";
import { type Session, useSession } from "@/shared/session/session-store";
import { classNames } from "@/shared/ui/class-names";
import { EmptyState } from "@/shared/ui/empty-state";
import { useNow } from "@/shared/ui/use-now";
import { SatsFigure } from "./figure";
import { LenderDay } from "./lender-day/lender-day";
import { endedLoansQuery, openLoansQuery, type Portfolio, portfolioQuery } from "./loan-requests";
import { LoansFailure } from "./loans-failure";
import { ConnectToSeeLoans } from "./loans-panel";
import { LoansSkeleton } from "./loans-skeleton";
import { loansText } from "./loans-text";
import {
  dueBuckets,
  earnedSats,
  earnedSeries,
  loanLtv,
  runningSeries,
  type SeriesPoint,
} from "./portfolio-series";
import { StartActions } from "./start-actions";

// Lazy, because only this page needs the chart library.
const SeriesChart = lazy(() => import("./series-chart"));

const MINUTE_MS = 60_000;
/** Limit of bars that remain readable. */
const LTV_BARS_MAX = 12;
/** Above this a borrower has more reason to keep the money than to get the collateral back. */
const LTV_DANGER = 90;

/** Totals of the user's loans, now and over time. */
export function OverviewPanel() {
  const session = useSession((state) => state.session);
  return session ? <Overview session={session} /> : <ConnectToSeeLoans />;
}

function Overview({ session }: { session: Session }) {
  useLiveLoans();
  const portfolio = useQuery(portfolioQuery(session.userId));
  const open = useQuery(openLoansQuery(session.userId));
  const ended = useQuery(endedLoansQuery(session.userId));
  const now = useNow(MINUTE_MS);
  const all = useMemo(() => [...(ended.data ?? []), ...(open.data ?? [])], [ended.data, open.data]);
  if (portfolio.isPending || open.isPending || ended.isPending) return <LoansSkeleton />;
  if (!portfolio.data || !open.data || !ended.data) {
    const failed = [portfolio, open, ended].filter(({ data }) => !data);
    return (
      <LoansFailure
        error={failed[0]?.error ?? null}
        onRetry={() => {
          for (const query of failed) void query.refetch();
        }}
      />
    );
  }
  const running = open.data.filter(({ dueAt }) => dueAt !== null);
  return (
    <div className="flex flex-col gap-4">
      <LenderDay loans={open.data} now={now} />
      <Totals portfolio={portfolio.data} earned={earnedSats(ended.data)} />
      {all.length === 0 && (
        <EmptyState title="No loans yet" action={<StartActions />}>
          Borrow against what you hold, or lend bitcoin for interest. Your loans add up here.
        </EmptyState>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <OverTime title="Lent over time" points={runningSeries(all, "lender", now)}>
          What you lend appears here once a loan runs.
        </OverTime>
        <OverTime title="Earned over time, after fees" points={earnedSeries(all, now)}>
          Interest appears here once a loan of yours was repaid.
        </OverTime>
        <Due loans={running} now={now} />
        <LtvBars loans={running} />
      </div>
    </div>
  );
}

function Totals({
  portfolio: { asLender, asBorrower },
  earned,
}: {
  portfolio: Portfolio;
  /** The end of the chart, which equals the sum of the history. */
  earned: bigint;
}) {
  return (
    <dl className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
      <SatsFigure label="Lent now" sats={asLender.lentSats}>
        {loansText(asLender.runningLoans)}, {formatBtc(asLender.interestOwedSats, 8)} interest to come
      </SatsFigure>
      <SatsFigure label="Earned, after fees" sats={earned}>
        {asLender.repaidLoans} repaid, {asLender.claimedLoans} claimed
      </SatsFigure>
      <SatsFigure label="Borrowed now" sats={asBorrower.borrowedSats}>
        {loansText(asBorrower.runningLoans)}, {formatBtc(asBorrower.interestOwedSats, 8)} interest to pay
      </SatsFigure>
      <SatsFigure label="Overdue" sats={asLender.atRiskSats + asBorrower.atRiskSats}>
        {asLender.overdueLoans} lent, {asBorrower.overdueLoans} borrowed
      </SatsFigure>
    </dl>
  );
}

/** In place of an empty chart: one line about what it will show. */
function Collapsible({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-x-4 gap-y-1 rounded-card border border-line bg-surface px-4 py-3 lg:col-span-2 lg:flex-row lg:items-baseline"
    >
      <h2 className="shrink-0 text-sm lg:w-56">{title}</h2>
      <p className="text-sm text-muted">{children}</p>
    </section>
  );
}

function Card({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4"
    >
      <h2 className="flex items-baseline justify-between gap-3 text-sm">
        {title}
        {aside}
      </h2>
      {children}
    </section>
  );
}

function OverTime({
  title,
  points,
  children,
}: {
  title: string;
  points: SeriesPoint[];
  children: ReactNode;
}) {
  if (points.length === 0) return <Collapsible title={title}>{children}</Collapsible>;
  const last = points.at(-1)?.sats ?? 0n;
  return (
    <Card title={title} aside={<span className="text-muted">{formatBtc(last, 8)} BTC</span>}>
      <Suspense fallback={<div className="h-[150px] animate-shimmer rounded-control bg-raised" />}>
        <SeriesChart points={points} label={`${title}: ${formatBtc(last, 8)} BTC now`} />
      </Suspense>
    </Card>
  );
}

function Due({ loans, now }: { loans: readonly Loan[]; now: number }) {
  if (loans.length === 0) {
    return (
      <Collapsible title="At risk, by due date">Running loans are added up here by due date.</Collapsible>
    );
  }
  const buckets = dueBuckets(loans, now);
  const most = buckets.reduce((max, { lentSats, borrowedSats }) => {
    const sum = lentSats + borrowedSats;
    return sum > max ? sum : max;
  }, 1n);
  const share = (sats: bigint) => `${Number((sats * 1_000n) / most) / 10}%`;
  return (
    <Card
      title="At risk, by due date"
      aside={
        <span className="flex gap-3 text-xs text-muted">
          <Key className="bg-text">lent</Key>
          <Key className="bg-line-strong">borrowed</Key>
        </span>
      }
    >
      <ul className="flex flex-col gap-2.5">
        {buckets.map(({ label, lentSats, borrowedSats, count }) => (
          <li key={label} className="grid grid-cols-[4.5rem_1fr_5.5rem] items-center gap-3 text-xs">
            <span className="text-soft">{label}</span>
            <span aria-hidden className="flex h-3 overflow-hidden rounded-full bg-raised">
              <span className="bg-text" style={{ width: share(lentSats) }} />
              <span className="bg-line-strong" style={{ width: share(borrowedSats) }} />
            </span>
            <span className={classNames("text-right", count === 0 && "text-muted")}>
              {count === 0 ? "–" : formatBtc(lentSats + borrowedSats)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={classNames("size-2 rounded-full", className)} />
      {children}
    </span>
  );
}

/** The current LTV of each running loan, the highest first. */
function LtvBars({ loans }: { loans: readonly Loan[] }) {
  const market = useMarket().data;
  const bars = loans
    .map((loan) => ({ loan, ltv: loanLtv(loan, market?.get(loan.groupId)) }))
    .filter((bar): bar is { loan: Loan; ltv: number } => bar.ltv !== null)
    .sort((a, b) => b.ltv - a.ltv)
    .slice(0, LTV_BARS_MAX);
  if (bars.length === 0) {
    return <Collapsible title="LTV of running loans">The LTV of each running loan appears here.</Collapsible>;
  }
  return (
    <Card title="LTV of running loans">
      <ul className="flex flex-col gap-2.5">
        {bars.map(({ loan, ltv }) => (
          <li key={loan.loanId} className="grid grid-cols-[8rem_1fr_4rem] items-center gap-3 text-xs">
            <Link
              to={`/portfolio?tab=loans&loan=${loan.loanId}`}
              className="truncate rounded-control text-soft underline-offset-4 hover:text-text hover:underline"
            >
              {truncateName(loan.collectionName)}
            </Link>
            <span aria-hidden className="h-3 overflow-hidden rounded-full bg-raised">
              <span
                className={classNames("block h-full", ltv >= LTV_DANGER ? "bg-down" : "bg-up")}
                style={{ width: `${Math.min(100, ltv)}%` }}
              />
            </span>
            <span className={classNames("text-right", ltv >= LTV_DANGER && "text-down")}>
              {formatPercentFixed(ltv)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
