import { Minus, Plus } from "lucide-react";
import { useId } from "react";
import { IconButton } from "@/shared/ui/button";

/** The number of equal offers to create at once. */
export function CountStepper({
  count,
  max,
  disabled,
  onChange,
}: {
  count: number;
  max: number;
  disabled: boolean;
  onChange: (count: number) => void;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <span id={id} className="text-xs text-soft">
        Count
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out unlike the other controls. */}
      <div
        role="group"
        aria-labelledby={id}
        className="flex h-10 items-center justify-between rounded-control border border-line bg-ground"
      >
        <IconButton label="One fewer" disabled={disabled || count <= 1} onClick={() => onChange(count - 1)}>
          <Minus size={16} aria-hidden />
        </IconButton>
        <output className="min-w-6 text-center text-sm font-strong" aria-live="polite" data-testid="count">
          {count}
        </output>
        <IconButton label="One more" disabled={disabled || count >= max} onClick={() => onChange(count + 1)}>
          <Plus size={16} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
