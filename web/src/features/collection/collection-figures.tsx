import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { ForYouMark } from "@/shared/ui/for-you-mark";
import type { CollectionStats } from "./collection-stats";

/** The price of a collection, and the figures of its best offer, live. */
export function CollectionFigures({
  row,
  mode,
  stats,
}: {
  row: Collection;
  mode: "borrow" | "lend";
  stats: CollectionStats;
}) {
  const isInscription = row.collateralType === "inscription";
  return (
    <dl className="grid grid-cols-6 gap-x-2 gap-y-3 rounded-card border border-line bg-ground px-4 py-3 sm:grid-cols-[1.4fr_1.2fr_1fr_0.6fr_0.9fr] sm:gap-x-3">
      <Figure label={isInscription ? "Floor" : "Price"} className="max-sm:col-span-3">
        <Changing value={isInscription ? row.floor : row.unitPrice}>
          {isInscription ? amount(row.floor, formatBtc, "₿") : amount(row.unitPrice, formatUnitPrice, "sats")}
        </Changing>
      </Figure>
      <Figure label="Best offer" isForUser={stats.isForUser} className="max-sm:col-span-3">
        <Changing value={stats.bestSats}>{amount(stats.bestSats, formatBtc, "₿")}</Changing>
      </Figure>
      <Figure label={mode === "lend" ? "Max APY" : "Min Interest"} className="max-sm:col-span-2">
        {stats.ratePercent === null ? "–" : formatPercentFixed(stats.ratePercent, 2)}
      </Figure>
      <Figure label="Term" className="max-sm:col-span-2">
        {stats.term}
      </Figure>
      <Figure label="LTV" className="max-sm:col-span-2">
        <Changing value={stats.ltvPercent}>
          {stats.ltvPercent === null ? "–" : formatPercentFixed(stats.ltvPercent, 2)}
        </Changing>
      </Figure>
    </dl>
  );
}

function amount(value: bigint | null, format: (value: bigint) => string, unit: string): ReactNode {
  if (value === null) return "–";
  return (
    <>
      {format(value)} <span className="text-sm font-normal text-muted">{unit}</span>
    </>
  );
}

function Figure({
  label,
  isForUser = false,
  className,
  children,
}: {
  label: string;
  isForUser?: boolean;
  className: string;
  children: ReactNode;
}) {
  return (
    <div className={classNames("min-w-0", className)}>
      <dt className="text-xs whitespace-nowrap text-muted">
        {label} {isForUser && <ForYouMark />}
      </dt>
      <dd className="truncate text-base font-strong">{children}</dd>
    </div>
  );
}
