import type { Category } from "@/shared/api/collection";
import type { Mode } from "./market-rows";
import type { ChangePeriod, SortKey, VolumePeriod } from "./market-view";

export type ColumnId = SortKey | "orders" | "action";

export interface MarketColumn {
  id: ColumnId;
  label: string;
  /** Relative width of the column, in pixels at its narrowest. */
  width: number;
  sortable: boolean;
}

export const VOLUME_LABEL: Record<VolumePeriod, string> = {
  total: "Total",
  "1d": "1 Day",
  "7d": "7 Days",
  "30d": "30 Days",
  none: "None",
};

export const CHANGE_LABEL: Record<ChangePeriod, string> = {
  "24h": "24h",
  "7d": "7d",
  "30d": "30d",
  none: "None",
};

const VOLUME_HEAD: Record<VolumePeriod, string> = {
  total: "Volume",
  "1d": "1d volume",
  "7d": "7d volume",
  "30d": "30d volume",
  none: "Volume",
};

/** Label of the rate of the row's offer or term. */
export const RATE_LABEL: Record<Mode, string> = { borrow: "Interest", lend: "APY" };

export interface ColumnChoice {
  mode: Mode;
  category: Category;
  volume: VolumePeriod;
  change: ChangePeriod;
  hasChanges: boolean;
  /** Whether the columns are closer together. */
  narrow: boolean;
}

/** The visible columns, in their order. */
export function visibleColumns(choice: ColumnChoice): MarketColumn[] {
  const { mode, category, volume, change, hasChanges, narrow } = choice;
  const rate = RATE_LABEL[mode];
  const columns: Array<MarketColumn | null> = [
    { id: "name", label: "Collection", width: narrow ? 196 : 322, sortable: true },
    { id: "orders", label: "Orders", width: narrow ? 68 : 104, sortable: false },
    { id: "offer", label: "Best offer", width: narrow ? 102 : 108, sortable: true },
    { id: "rate", label: rate, width: narrow ? 94 : 100, sortable: true },
    { id: "term", label: "Term", width: narrow ? 62 : 76, sortable: true },
    { id: "ltv", label: "LTV", width: narrow ? 76 : 84, sortable: true },
    {
      id: "price",
      label: category === "ordinals" ? "Floor" : "Unit price",
      width: narrow ? 110 : 108,
      sortable: true,
    },
    volume === "none"
      ? null
      : { id: "volume", label: VOLUME_HEAD[volume], width: narrow ? 98 : 112, sortable: true },
    !hasChanges || change === "none"
      ? null
      : { id: "change", label: `${change} change`, width: narrow ? 106 : 118, sortable: true },
    { id: "action", label: "Action", width: narrow ? 78 : 92, sortable: false },
  ];
  return columns.filter((column) => column !== null);
}

/** The options of the sort menu on phones. */
export function sortChoices(mode: Mode, category: Category, hasChanges: boolean): Array<[SortKey, string]> {
  const choices: Array<[SortKey, string] | null> = [
    ["name", "Collection"],
    ["offer", "Best offer"],
    ["rate", RATE_LABEL[mode]],
    ["term", "Term"],
    ["ltv", "LTV"],
    ["price", category === "ordinals" ? "Floor" : "Unit price"],
    ["volume", "Volume"],
    hasChanges ? ["change", "Price change"] : null,
  ];
  return choices.filter((choice) => choice !== null);
}
