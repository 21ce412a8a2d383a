import { Checkbox } from "@base-ui/react/checkbox";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

/** A box to tick, with its label. */
export function CheckBox({
  checked,
  onChange,
  disabled,
  className,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside renders the control.
    <label className={classNames("flex cursor-pointer items-center gap-2.5 text-sm text-text", className)}>
      <Checkbox.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="flex size-4.5 shrink-0 items-center justify-center rounded-[5px] border border-line-strong bg-ground text-ground data-checked:border-text data-checked:bg-text data-disabled:opacity-45"
      >
        <Checkbox.Indicator>
          <Check size={13} strokeWidth={3} aria-hidden />
        </Checkbox.Indicator>
      </Checkbox.Root>
      {children}
    </label>
  );
}
