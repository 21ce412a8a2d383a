import type { Loan } from "@/shared/api/loan";
import { useMarket, useMe } from "@/shared/feed/use-feed";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { classNames } from "@/shared/ui/class-names";
import { Figure, SatsFigure } from "../figure";
import { loansText } from "../loans-text";
import { DueBars } from "./due-bars";
import { dueDays, dueTotal } from "./due-days";
import { lentLoans, principalOf, reservingLoans, yieldPercent } from "./lender-exposure";
import { LenderTaskList } from "./lender-task-list";
import { lenderTasks } from "./lender-tasks";
import { shortTotal, type UnderWater, underWater } from "./under-water";
import { UnderWaterList } from "./under-water-list";

const DAYS = 7;

interface LenderDayProps {
  /** The user's open loans of both sides. */
  loans: readonly Loan[];
  now: number;
}

/** A lender's position and tasks of today; nothing for users who neither lend nor offer to. */
export function LenderDay({ loans, now }: LenderDayProps) {
  const offers = [...(useMe().data?.offers.values() ?? [])];
  const market = useMarket().data;
  if (offers.length === 0 && !loans.some(({ role }) => role === "lender")) return null;
  const running = lentLoans(loans);
  const days = dueDays(running, DAYS, now);
  const due = dueTotal(days);
  const below = market && underWater(running, market);
  return (
    <section
      aria-label="Lending today"
      className="overflow-hidden rounded-card border border-line bg-surface"
    >
      <h2 className="px-4 py-3 text-sm">Lending today</h2>
      <dl className="grid gap-px border-y border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
        <Exposure running={running} reserving={reservingLoans(loans)} />
        <Yield running={running} />
        <SatsFigure label={`Due in ${DAYS} days`} sats={due.payoutSats}>
          {loansText(due.count)}, with interest
        </SatsFigure>
        <BelowValue below={below} />
      </dl>
      <div className="grid divide-line max-lg:divide-y lg:auto-cols-fr lg:grid-flow-col lg:divide-x">
        <LenderTaskList tasks={lenderTasks(loans, offers, now)} />
        <DueBars days={days} />
        {below && (below.loans.length > 0 || below.unpriced > 0) && <UnderWaterList below={below} />}
      </div>
    </section>
  );
}

function Exposure({ running, reserving }: { running: readonly Loan[]; reserving: readonly Loan[] }) {
  const [lentSats, reservedSats] = [principalOf(running), principalOf(reserving)];
  return (
    <SatsFigure label="Exposure" sats={lentSats + reservedSats}>
      {reserving.length === 0
        ? `${loansText(running.length)} running, nothing reserved`
        : `${formatBtc(lentSats, 8)} lent, ${formatBtc(reservedSats, 8)} reserved for ${loansText(reserving.length)} being signed`}
    </SatsFigure>
  );
}

function Yield({ running }: { running: readonly Loan[] }) {
  const yearly = yieldPercent(running);
  return (
    <Figure label="Yield a year, after fees" figure={yearly === null ? "–" : formatPercentFixed(yearly, 2)}>
      {yearly === null
        ? "No loan is running"
        : `Of ${loansText(running.length)}, if repaid in time; not compounded`}
    </Figure>
  );
}

/** The loans under water; null while the prices are loading. */
function BelowValue({ below }: { below: UnderWater | null }) {
  const count = below?.loans.length ?? 0;
  return (
    <Figure
      label="Under water"
      figure={<span className={classNames(count > 0 && "text-down")}>{below ? loansText(count) : "–"}</span>}
    >
      {!below
        ? "The prices are loading"
        : count === 0
          ? "No collateral is worth less than what is owed"
          : `${formatBtc(shortTotal(below), 8)} less than what is owed`}
    </Figure>
  );
}
