import { ListFilter } from "lucide-react";
import { buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { lazyPopup } from "@/shared/ui/lazy-popup";
import type { Filter } from "./market-view";

export interface FilterPopoverProps {
  filters: readonly Filter[];
  selected: readonly Filter[];
  onChange: (selected: Filter[]) => void;
}

/** Checkboxes for the kinds of rows to keep. */
export const FilterPopover = lazyPopup<FilterPopoverProps>(
  "dialog",
  () => import("./filter-popup").then((module) => module.FilterPopup),
  ({ trigger, ...props }) => (
    <button type="button" {...trigger} aria-label={filterLabel(props)} className={FILTER_TRIGGER_CLASS}>
      <FilterTriggerContent {...props} />
    </button>
  ),
);

export const FILTER_TRIGGER_CLASS = classNames(
  buttonClass({ variant: "secondary" }),
  "px-3 font-normal! max-md:h-9 max-md:flex-1 max-md:gap-1 max-md:px-2 max-md:text-xs",
);

export function filterLabel(props: FilterPopoverProps): string {
  const count = countOf(props);
  return count > 0 ? `Filters, ${count} selected` : "Filters";
}

export function FilterTriggerContent(props: FilterPopoverProps) {
  const count = countOf(props);
  return (
    <>
      <ListFilter size={14} aria-hidden className="shrink-0" />
      Filters
      {count > 0 && (
        <span
          aria-hidden
          className="flex size-5 items-center justify-center rounded-full bg-text text-xs text-ground max-md:size-4"
        >
          {count}
        </span>
      )}
    </>
  );
}

function countOf({ filters, selected }: FilterPopoverProps): number {
  return selected.filter((filter) => filters.includes(filter)).length;
}
