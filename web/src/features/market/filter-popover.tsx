import { Popover } from "@base-ui/react/popover";
import { ListFilter } from "lucide-react";
import { buttonClass } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { POPUP_CLASS } from "@/shared/ui/choice-menu";
import { classNames } from "@/shared/ui/class-names";
import { FILTER_LABEL, type Filter } from "./market-view";

/** Ticks for the kinds of rows to keep. */
export function FilterPopover({
  filters,
  selected,
  onChange,
}: {
  filters: readonly Filter[];
  selected: readonly Filter[];
  onChange: (selected: Filter[]) => void;
}) {
  const count = selected.filter((filter) => filters.includes(filter)).length;
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={count > 0 ? `Filters, ${count} selected` : "Filters"}
        className={classNames(
          buttonClass({ variant: "secondary" }),
          "px-3 font-normal! max-md:h-9 max-md:flex-1 max-md:px-2 max-md:text-xs",
        )}
      >
        <ListFilter size={14} aria-hidden />
        Filters
        {count > 0 && (
          <span
            aria-hidden
            className="flex size-5 items-center justify-center rounded-full bg-text text-xs text-ground"
          >
            {count}
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-50">
          <Popover.Popup className={POPUP_CLASS} aria-label="Filters">
            {filters.map((filter) => (
              <CheckBox
                key={filter}
                checked={selected.includes(filter)}
                onChange={(checked) =>
                  onChange(checked ? [...selected, filter] : selected.filter((kept) => kept !== filter))
                }
                className="min-h-9 rounded-control px-2.5 hover:bg-raised"
              >
                {FILTER_LABEL[filter]}
              </CheckBox>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
