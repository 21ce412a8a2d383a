import { Popover } from "@base-ui/react/popover";
import { CheckBox } from "@/shared/ui/check-box";
import { POPUP_CLASS } from "@/shared/ui/popup-class";
import {
  FILTER_TRIGGER_CLASS,
  type FilterPopoverProps,
  FilterTriggerContent,
  filterLabel,
} from "./filter-popover";
import { FILTER_LABEL } from "./market-view";

/** The filters' button with its checkboxes. */
export function FilterPopup({ defaultOpen, ...props }: FilterPopoverProps & { defaultOpen?: boolean }) {
  const { filters, selected, onChange } = props;
  return (
    <Popover.Root defaultOpen={defaultOpen}>
      <Popover.Trigger aria-label={filterLabel(props)} className={FILTER_TRIGGER_CLASS}>
        <FilterTriggerContent {...props} />
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
