import { useState } from "react";
import type { Negotiation } from "@/shared/api/negotiation";
import { daysText } from "@/shared/format/days";
import { formatBps } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { otherSide } from "./negotiation-view";

/** Of more rounds than these only the latest are shown at first, so that cards stay comparable. */
const SHOWN_MAX = 4;
const LATEST = 3;

/** The proposals of a negotiation with their sides, the newest last. */
export function Rounds({ negotiation }: { negotiation: Negotiation }) {
  const { proposals, roundsMax, role } = negotiation;
  const [isWhole, setIsWhole] = useState(false);
  const hidden = isWhole || proposals.length <= SHOWN_MAX ? 0 : proposals.length - LATEST;
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-2 text-xs">
      <p className="flex items-center justify-between gap-3 text-muted">
        <span>
          Round {proposals.length} of {roundsMax}
        </span>
        {hidden > 0 && (
          <button
            type="button"
            className="rounded-control underline underline-offset-4 hover:text-text"
            onClick={() => setIsWhole(true)}
          >
            Show {hidden} earlier
          </button>
        )}
      </p>
      <ol start={hidden + 1} aria-label="Rounds" className="flex flex-col gap-0.5">
        {proposals.slice(hidden).map(({ by, principalSats, interestBps, termDays }, index) => {
          const round = hidden + index + 1;
          return (
            <li
              key={round}
              className="grid grid-cols-[1rem_1fr_5.5rem_4rem_4rem] gap-x-1 text-right text-soft last:text-text"
            >
              <span className="text-left text-muted">{round}</span>
              <span className="text-left">
                {by === role ? "You" : otherSide(negotiation) === "lender" ? "Lender" : "Borrower"}
              </span>
              <span>{formatBtcPaid(principalSats)} ₿</span>
              <span>{formatBps(interestBps)}</span>
              <span>{daysText(termDays)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
