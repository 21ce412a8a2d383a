import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Changing } from "@/shared/ui/changing";
import type { CollectionStats } from "./collection-stats";

/** The four numbers of a collection that decide. They change while they are looked at. */
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
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 rounded-card border border-line bg-ground px-4 py-3 sm:grid-cols-[1.3fr_1fr_1fr_1fr]">
      <Figure label={isInscription ? "Floor" : "Price"}>
        <Changing value={isInscription ? row.floor : row.unitPrice}>
          {isInscription ? amount(row.floor, formatBtc, "₿") : amount(row.unitPrice, formatUnitPrice, "sats")}
        </Changing>
      </Figure>
      <Figure label={mode === "lend" ? "Max APY" : "Min Interest"}>
        {stats.ratePercent === null ? "–" : formatPercentFixed(stats.ratePercent, 2)}
      </Figure>
      <Figure label="Term">{stats.term}</Figure>
      <Figure label="LTV">
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

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="truncate text-base font-strong">{children}</dd>
    </div>
  );
}
