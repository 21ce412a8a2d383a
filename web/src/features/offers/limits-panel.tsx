import { useQuery } from "@tanstack/react-query";
import { Gauge, Pause, Play, X } from "lucide-react";
import { useState } from "react";
import type { Collection } from "@/shared/api/collection";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { useMarket } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { useLiveLoans } from "@/shared/loans/loan-refresh";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { notify } from "@/shared/ui/notify";
import { durationText, type LimitUse, lendingLimitsQuery, pauseAllOffers, usesOf } from "./lending-limits";
import { LimitsDialog } from "./limits-dialog";
import { resumeOffers } from "./offer-requests";

const NO_COLLECTIONS: ReadonlyMap<string, Collection> = new Map();

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
  useLiveLoans();
  const { data: limits, error } = useQuery(lendingLimitsQuery(session.userId));
  const [isOpen, setIsOpen] = useState(false);
  const market = useMarket().data ?? NO_COLLECTIONS;
  const names = new Map([...market.values()].map((row) => [row.id, withoutBundleNumber(row.collectionName)]));
  const uses = limits ? usesOf(limits, names) : [];
  const absence = limits?.absenceMinutes ?? null;

  return (
    <section aria-label="Lending limits" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" disabled={!limits} onClick={() => setIsOpen(true)}>
          <Gauge size={14} aria-hidden />
          {uses.length > 0 || absence !== null ? "Change limits" : "Set limits"}
        </Button>
        {offers.size > 0 && (
          <>
            <PauseAllButton offers={[...offers.values()]} />
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
            <LimitBar key={use.label} use={use} />
          ))}
        </ul>
      )}
      {absence !== null && (
        <p className="text-xs text-soft">
          All offers pause when the app has not been open for {durationText(absence)}.
        </p>
      )}
      {limits && isOpen && (
        <DialogBoundary onClose={() => setIsOpen(false)}>
          <LimitsDialog
            limits={limits}
            offers={offers}
            names={names}
            userId={session.userId}
            onClose={() => setIsOpen(false)}
          />
        </DialogBoundary>
      )}
    </section>
  );
}

/** Pauses all offers, or resumes them once all are paused. */
function PauseAllButton({ offers }: { offers: readonly MyOffer[] }) {
  const [isBusy, setIsBusy] = useState(false);
  const areAllPaused = offers.every((offer) => offer.isPausedByLender);

  async function toggle() {
    setIsBusy(true);
    try {
      if (areAllPaused) {
        const { done, refused } = await resumeOffers(offers.map(({ offerId }) => offerId));
        if (done.length > 0) notify.success(`${countText(done.length)} resumed`);
        if (refused[0]) notify.error(`${countText(refused.length)} not resumed`, refused[0].reason);
      } else {
        notify.success(`${countText(await pauseAllOffers())} paused`);
      }
    } catch (reason) {
      notify.error(`The offers could not be ${areAllPaused ? "resumed" : "paused"}`, errorText(reason));
    } finally {
      setIsBusy(false);
    }
  }

  const Icon = areAllPaused ? Play : Pause;
  return (
    <Button size="small" disabled={isBusy} onClick={() => void toggle()}>
      <Icon size={14} aria-hidden />
      {areAllPaused ? "Resume all" : "Pause all"}
    </Button>
  );
}

const countText = (count: number) => `${count} ${count === 1 ? "offer" : "offers"}`;

function LimitBar({ use }: { use: LimitUse }) {
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
