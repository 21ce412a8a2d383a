import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { priceHistoryQuery } from "@/shared/api/price-history";
import { formatMoment } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { Button } from "@/shared/ui/button";
import { ChartSkeleton } from "@/shared/ui/chart-skeleton";
import type { HistoryPoint } from "@/shared/ui/history-shape";
import { Segmented } from "@/shared/ui/segmented";
import { useNow } from "@/shared/ui/use-now";
import { ltvHistory, rangeSince } from "./offer-history";
import { useRankHistory } from "./rank-history";

// Lazy, because only the chart needs its libraries.
const HistoryChart = lazy(() => import("@/shared/ui/history-chart"));

const MINUTE_MS = 60_000;

/** The history of an offer's LTV and rank. */
export function OfferHistoryPanel({ offer }: { offer: MyOffer }) {
  const [figure, setFigure] = useState<"ltv" | "rank">("ltv");
  return (
    <section aria-label="History" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-sm text-soft">History</h3>
        <Segmented
          label="History of"
          size="small"
          value={figure}
          choices={[
            { value: "ltv", label: "LTV" },
            { value: "rank", label: "Rank" },
          ]}
          onChange={setFigure}
        />
      </div>
      {/* The read-out, the chart and its note, or a placeholder: always of the same height. */}
      <div className="h-45">{figure === "ltv" ? <Ltv offer={offer} /> : <Rank offer={offer} />}</div>
    </section>
  );
}

function Ltv({ offer }: { offer: MyOffer }) {
  const now = useNow(MINUTE_MS);
  const range = rangeSince(offer.createdAt, now);
  const { data, isError, isFetching, refetch } = useQuery(priceHistoryQuery({ id: offer.groupId }, range));
  const history = useMemo(() => (data ? ltvHistory(offer, data.data, now) : []), [offer, data, now]);
  if (isError && !data) {
    return (
      <NoChart
        action={
          <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
            {isFetching ? "Loading..." : "Try again"}
          </Button>
        }
      >
        Failed to load price data. The offer does not depend on this chart.
      </NoChart>
    );
  }
  if (!data) return <ChartSkeleton />;
  if (history.length < 2) return <NoChart>No price data available</NoChart>;
  const isCapped = offer.loanProcessType === "Instant" && offer.maxLtv !== null;
  const cap = isCapped ? { value: offer.maxLtv ?? 0, name: "auto pause" } : null;
  return (
    <Suspense fallback={<ChartSkeleton />}>
      <HistoryChart
        history={history}
        name="LTV"
        format={formatLtv}
        limit={offer.peg ? { value: offer.peg.ltv, name: "your share" } : cap}
      />
      <Note>
        {offer.peg
          ? "From the prices since the offer was made, with the principal at each."
          : offer.updatedAt === offer.createdAt
            ? "From the prices since the offer was made."
            : "From the prices since the offer was made, at its current principal."}
      </Note>
    </Suspense>
  );
}

function Rank({ offer }: { offer: MyOffer }) {
  const now = useNow(MINUTE_MS);
  const recorded = useRankHistory(offer.offerId);
  const history = useMemo(() => withNow(recorded, now), [recorded, now]);
  const [first] = recorded;
  if (!first) return <NoChart>No rank recorded yet.</NoChart>;
  return (
    <Suspense fallback={<ChartSkeleton />}>
      <HistoryChart history={history} name="Rank" format={formatRank} isRank />
      <Note>Recorded on this page since {formatMoment(first.atMs)}. Earlier ranks are not kept.</Note>
    </Suspense>
  );
}

/** The last rank extends to the current time. */
function withNow(history: readonly HistoryPoint[], nowMs: number): readonly HistoryPoint[] {
  const last = history.at(-1);
  return last ? [...history, { atMs: Math.max(nowMs, last.atMs + 1), value: last.value }] : history;
}

function formatLtv(value: number | null): string {
  return value === null ? "–" : formatPercent(value);
}

function formatRank(value: number | null): string {
  return value === null ? "Not ranked" : `#${value}`;
}

function NoChart({ action, children }: { action?: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex h-full flex-col items-center justify-center gap-2 rounded-control border border-dashed border-line px-6 text-center text-sm text-soft"
    >
      {children}
      {action}
    </div>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="h-5 truncate text-xs text-muted">{children}</p>;
}
