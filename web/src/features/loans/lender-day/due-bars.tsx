import { formatBtc } from "@/shared/format/sats";
import { classNames } from "@/shared/ui/class-names";
import { loansText } from "../loans-text";
import { type DueDay, dayLabel } from "./due-days";
import { LenderDayPart } from "./lender-day-part";

/** The sum of each day as a bar, relative to the largest. */
export function DueBars({ days }: { days: readonly DueDay[] }) {
  const most = days.reduce((max, { payoutSats }) => (payoutSats > max ? payoutSats : max), 0n);
  const title = `Due in the next ${days.length} days`;
  return (
    <LenderDayPart title={title}>
      {most === 0n ? (
        <p className="text-sm text-muted">Nothing is due.</p>
      ) : (
        <ul aria-label={title} className="flex flex-col gap-1">
          {days.map((day, position) => (
            <li key={day.atMs} className="grid grid-cols-[4.5rem_1fr_8.5rem] items-center gap-3 text-xs">
              <span className="text-soft">{dayLabel(day, position)}</span>
              <span aria-hidden className="h-2.5 overflow-hidden rounded-full bg-raised">
                <span
                  className="block h-full bg-text"
                  style={{ width: `${Number((day.payoutSats * 1_000n) / most) / 10}%` }}
                />
              </span>
              <span className={classNames("text-right whitespace-nowrap", day.count === 0 && "text-muted")}>
                {day.count === 0 ? "–" : `${loansText(day.count)}, ${formatBtc(day.payoutSats)} ₿`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </LenderDayPart>
  );
}
