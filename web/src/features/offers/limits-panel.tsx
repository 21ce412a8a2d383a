import { useQuery } from "@tanstack/react-query";
import { Gauge, Pause, X } from "lucide-react";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { notify } from "@/shared/ui/notify";
import { durationText, lendingLimitsQuery, pauseAllOffers, type Use, usesOf } from "./lending-limits";
import { LimitsDialog } from "./limits-dialog";

/** What is taken of the lender's limits, and the actions on all offers. */
export function LimitsPanel({
  session,
  offers,
  onCancelAll,
}: {
  session: Session;
  offers: ReadonlyMap<string, MyOffer>;
  onCancelAll: () => void;
}) {
  const { data: limits, error } = useQuery(lendingLimitsQuery(session.userId));
  const [isOpen, setIsOpen] = useState(false);
  const [isPausing, setIsPausing] = useState(false);
  const names = new Map([...offers.values()].map(({ groupId, collectionName }) => [groupId, collectionName]));
  const uses = limits ? usesOf(limits, names) : [];
  const open = [...offers.values()].some((offer) => !offer.isPausedByLender);

  async function pauseAll() {
    setIsPausing(true);
    try {
      const count = await pauseAllOffers();
      notify.success(
        `${count} ${count === 1 ? "offer" : "offers"} paused`,
        "Resume each when you want it back.",
      );
    } catch (reason) {
      notify.error("The offers could not be paused", errorText(reason));
    } finally {
      setIsPausing(false);
    }
  }

  return (
    <section aria-label="Lending limits" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" disabled={!limits} onClick={() => setIsOpen(true)}>
          <Gauge size={14} aria-hidden />
          {uses.length > 0 || (limits && limits.absenceMinutes !== null) ? "Change limits" : "Set limits"}
        </Button>
        {offers.size > 0 && (
          <>
            <Button size="small" disabled={!open || isPausing} onClick={() => void pauseAll()}>
              <Pause size={14} aria-hidden />
              {isPausing ? "Pausing..." : "Pause all"}
            </Button>
            <Button size="small" onClick={onCancelAll}>
              <X size={14} aria-hidden />
              Cancel all
            </Button>
          </>
        )}
        {error && !limits && <p className="text-xs text-soft">Your limits could not be loaded.</p>}
      </div>
      {uses.length > 0 && (
        <ul className="grid gap-2 md:grid-cols-2 xl:grid-cols-3">
          {uses.map((use) => (
            <UseBar key={use.label} use={use} />
          ))}
        </ul>
      )}
      {limits && limits.absenceMinutes !== null && (
        <p className="text-xs text-soft">
          All offers pause when the app has not been open for {durationText(limits.absenceMinutes)}.
        </p>
      )}
      {limits && (
        <DialogBoundary onClose={() => setIsOpen(false)}>
          {isOpen && (
            <LimitsDialog
              limits={limits}
              offers={offers}
              userId={session.userId}
              onClose={() => setIsOpen(false)}
            />
          )}
        </DialogBoundary>
      )}
    </section>
  );
}

function UseBar({ use }: { use: Use }) {
  return (
    <li className="flex flex-col gap-1.5 rounded-control border border-line px-3 py-2 text-xs">
      <span className="flex flex-wrap justify-between gap-x-3">
        <span className="text-soft">{use.label}</span>
        <span className="tabular-nums">{use.text}</span>
      </span>
      <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-line">
        <span
          className={use.share >= 1 ? "block h-full bg-warn" : "block h-full bg-accent"}
          style={{ width: `${use.share * 100}%` }}
        />
      </span>
    </li>
  );
}
