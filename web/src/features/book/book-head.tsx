import type { ReactNode } from "react";
import type { Collection, ProcessType } from "@/shared/api/collection";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc, formatBtcShort } from "@/shared/format/sats";
import { Changing } from "@/shared/ui/changing";
import { ChoiceMenu } from "@/shared/ui/choice-menu";
import { ForYouMark } from "@/shared/ui/for-you-mark";
import { Segmented } from "@/shared/ui/segmented";
import {
  type BookSelection,
  type BookSummary,
  isBundled,
  subCollectionLabel,
  subCollectionsOf,
} from "./book-view";

interface BookHeadProps {
  row: Collection;
  selection: BookSelection;
  summary: BookSummary;
  onSelect: (selection: BookSelection) => void;
}

/** The choice of the shown part of the book, and its summary. */
export function BookHead({ row, selection, summary, onSelect }: BookHeadProps) {
  const choose = (process: ProcessType) => {
    const known = subCollectionsOf(row, process);
    const [first] = known;
    if (!first) return;
    const kept = known.some((sub) => sub.id === selection.subCollectionId)
      ? selection.subCollectionId
      : undefined;
    onSelect({ process, subCollectionId: kept ?? row[process]?.bestSubCollectionId ?? first.id });
  };
  const bundles = subCollectionsOf(row, selection.process);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-6 gap-y-3 border-b border-line px-5 py-3">
      <div className="flex min-w-0 flex-wrap gap-2 max-md:w-full">
        <Segmented
          label="Offer type"
          value={selection.process}
          choices={(["manual", "instant"] as const).map((value) => ({
            value,
            label: value === "manual" ? "Manual" : "Instant",
            disabled: subCollectionsOf(row, value).length === 0,
          }))}
          onChange={choose}
        />
        <ChoiceMenu
          label={isBundled(row, bundles) ? "Bundle" : "Term"}
          value={selection.subCollectionId}
          choices={bundles.map((sub) => ({ value: sub.id, label: subCollectionLabel(row, sub) }))}
          onChange={(subCollectionId) => onSelect({ ...selection, subCollectionId })}
          className="max-md:h-10!"
        />
      </div>
      <dl className="grid grid-cols-[auto_auto] gap-x-6 gap-y-2 max-md:w-full md:ml-auto md:grid-flow-col md:grid-cols-none">
        <Figure
          label={`Best, ${row.collateralType === "inscription" ? "floor" : "worth"}`}
          isForUser={summary.isBestForUser}
        >
          <Changing value={summary.bestSats}>
            {summary.bestSats === null ? "–" : formatBtc(summary.bestSats)}
          </Changing>
          <span className="text-muted">
            {" "}
            / {summary.worthSats === null ? "–" : formatBtc(summary.worthSats)} ₿
          </span>
        </Figure>
        <Figure label="Spread" isForUser={summary.isBestForUser}>
          {summary.spreadPercent === null ? "–" : formatPercentFixed(summary.spreadPercent)}
        </Figure>
        <Figure label="Instant liquidity">
          <Changing value={summary.instantLiquiditySats}>
            {formatBtcShort(summary.instantLiquiditySats)}
          </Changing>
          <span className="text-muted"> ₿</span>
        </Figure>
        <Figure label="Lenders" isForUser={summary.areLendersForUser}>
          {summary.lenders}
        </Figure>
      </dl>
    </div>
  );
}

function Figure({
  label,
  isForUser = false,
  children,
}: {
  label: string;
  isForUser?: boolean;
  children: ReactNode;
}) {
  return (
    <div>
      <dt className="text-xs whitespace-nowrap text-muted">
        {label} {isForUser && <ForYouMark />}
      </dt>
      <dd className="text-sm whitespace-nowrap">{children}</dd>
    </div>
  );
}
