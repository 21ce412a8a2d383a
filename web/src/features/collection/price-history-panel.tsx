import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Collection } from "@/shared/api/collection";
import {
  PRICE_RANGES,
  type PriceRange,
  priceHistoryQuery,
  RANGE_LABEL,
  RANGE_STEP,
} from "@/shared/api/price-history";
import { Button } from "@/shared/ui/button";
import { ChartSkeleton } from "@/shared/ui/chart-skeleton";
import { Segmented } from "@/shared/ui/segmented";
import { chartFailure, missingChartReason } from "./missing-chart";

// Lazy, because only the chart needs its libraries.
const PriceChart = lazy(() => import("./price-chart"));

const RANGES = PRICE_RANGES.map((value) => ({ value, label: RANGE_LABEL[value] }));

/** The price history over the chosen range. */
export function PriceHistoryPanel({ row }: { row: Collection }) {
  const [range, setRange] = useState<PriceRange>("24h");
  const { data, error, isFetching, refetch } = useQuery(priceHistoryQuery(row, range));
  const reason = data ? missingChartReason(data.data) : null;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <Segmented label="Range" size="small" value={range} choices={RANGES} onChange={setRange} />
        <span className="text-xs text-muted max-sm:hidden">every {RANGE_STEP[range]}</span>
      </div>
      {/* The read-out and the chart, or a placeholder: always of the same height. */}
      <div className="h-58">
        {!data && error && (
          <Notice
            text={chartFailure(error)}
            action={
              <Button size="small" disabled={isFetching} onClick={() => void refetch()}>
                {isFetching ? "Loading..." : "Try again"}
              </Button>
            }
          >
            Offers and loans do not depend on this chart.
          </Notice>
        )}
        {!data && !error && <ChartSkeleton />}
        {data && reason && <Notice text={reason} />}
        {data && !reason && (
          <Suspense fallback={<ChartSkeleton />}>
            <PriceChart key={range} history={data} range={range} type={row.collateralType} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

function Notice({ text, action, children }: { text: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <div
      role="status"
      className="flex h-full flex-col items-center justify-center gap-2 rounded-control border border-dashed border-line px-6 text-center text-sm"
    >
      <p className="text-soft">{text}</p>
      {children && <p className="text-xs text-muted">{children}</p>}
      {action}
    </div>
  );
}
