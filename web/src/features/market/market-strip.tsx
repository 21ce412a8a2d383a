import { type ReactNode, useMemo } from "react";
import type { Category, ProcessType } from "@/shared/api/collection";
import { rateOf } from "@/shared/api/shown-terms";
import type { Market } from "@/shared/feed/market-channel";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtcVolume } from "@/shared/format/sats";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { Unit } from "./market-cells";
import type { Mode } from "./market-rows";
import { STRIP_CLASS } from "./market-strip-place";
import { marketTotals } from "./market-totals";

/** A summary of the visible part of the market. Its labels are shown before its figures are known. */
export function MarketStrip({
  market,
  category,
  process,
  mode,
}: {
  /** Null until it is known. */
  market: Market | null;
  category: Category;
  process: ProcessType;
  mode: Mode;
}) {
  const totals = useMemo(
    () => (market ? marketTotals(market.values(), category, process, mode) : null),
    [market, category, process, mode],
  );
  const best = totals?.best ?? null;
  return (
    <dl aria-label="Market" className={classNames(STRIP_CLASS, "grid grid-cols-4 gap-px bg-line")}>
      <Figure
        label="Liquidity"
        more=" now"
        title="Total principal of the offers shown here. A vault counts once for each collection that it backs."
      >
        <Changing value={totals?.liquiditySats ?? null}>
          {totals && <Btc sats={totals.liquiditySats} />}
        </Changing>
      </Figure>
      <Figure label="Lent in 24 h" title="Manual and instant loans of this category, within a day.">
        <Changing value={totals?.lent24hSats ?? null}>{totals && <Btc sats={totals.lent24hSats} />}</Changing>
      </Figure>
      <Figure label="Loans" more=" running" title="Manual and instant loans of this category.">
        <Changing value={totals?.runningLoans ?? null}>{totals?.runningLoans}</Changing>
      </Figure>
      <Figure
        label={mode === "lend" ? "Best APY" : "Best interest"}
        title={best ? `${best.collectionName}, ${best.terms.term} days` : "Of the best offers"}
      >
        {best ? (
          <>
            {formatPercentFixed(rateOf(best.terms, mode), 2)}
            <span className="max-sm:hidden">
              <Unit>{best.terms.term}d</Unit>
            </span>
          </>
        ) : (
          totals && <span className="text-muted">–</span>
        )}
      </Figure>
    </dl>
  );
}

function Figure({
  label,
  more = "",
  title,
  children,
}: {
  label: string;
  /** Further words of the label, where there is space. */
  more?: string;
  title: string;
  children: ReactNode;
}) {
  return (
    <div title={title} className="min-w-0 bg-ground px-1.5 py-1.5 sm:px-2 md:px-4 md:py-2">
      <dt className="truncate text-xs text-muted max-sm:tracking-tight">
        {label}
        <span className="max-sm:hidden">{more}</span>
      </dt>
      <dd className="h-5 truncate text-sm font-strong md:h-6 md:text-base">{children}</dd>
    </div>
  );
}

function Btc({ sats }: { sats: bigint }) {
  return (
    <>
      {formatBtcVolume(sats)}
      <Unit>₿</Unit>
    </>
  );
}
