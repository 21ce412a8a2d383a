import { Select } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { useId } from "react";

export interface SubCollectionChoice {
  id: string;
  label: string;
}

/** Which term, or which bundle size, the offer is for. */
export function SubCollectionSelect({
  label,
  choices,
  value,
  disabled,
  onChange,
}: {
  label: string;
  choices: SubCollectionChoice[];
  value: string;
  disabled: boolean;
  onChange: (id: string) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={id} className="text-xs text-soft">
        {label}
      </span>
      <Select.Root
        items={choices.map((choice) => ({ value: choice.id, label: choice.label }))}
        value={value}
        disabled={disabled || choices.length < 2}
        onValueChange={(next) => next !== null && onChange(next)}
      >
        <Select.Trigger
          aria-labelledby={id}
          className="flex h-10 min-w-0 items-center justify-between gap-2 rounded-control border border-line bg-ground px-3 text-left text-sm transition-colors hover:not-data-disabled:border-line-strong"
        >
          <Select.Value className="truncate" />
          {!disabled && choices.length > 1 && (
            <Select.Icon className="shrink-0 text-muted">
              <ChevronDown size={16} aria-hidden />
            </Select.Icon>
          )}
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-10">
            <Select.Popup className="max-h-72 max-w-(--available-width) min-w-(--anchor-width) overflow-y-auto rounded-card border border-line-strong bg-surface p-1 text-sm text-text shadow-float outline-none">
              {choices.map((choice) => (
                <Select.Item
                  key={choice.id}
                  value={choice.id}
                  className="flex min-h-10 cursor-default items-center gap-2 rounded-control px-3 py-2 outline-none data-highlighted:bg-raised"
                >
                  <Select.ItemText className="min-w-0 flex-1">{choice.label}</Select.ItemText>
                  <Select.ItemIndicator>
                    <Check size={16} aria-hidden />
                  </Select.ItemIndicator>
                </Select.Item>
              ))}
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </div>
  );
}
