import { Menu } from "@base-ui/react/menu";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "./button";
import { classNames } from "./class-names";
import type { Choice } from "./segmented";

export const POPUP_CLASS =
  "z-50 min-w-44 max-w-[calc(100vw-32px)] max-h-[min(440px,var(--available-height))] overflow-y-auto rounded-card border border-line bg-surface p-1 shadow-float outline-none transition-[opacity,transform] duration-(--quick) data-ending-style:opacity-0 data-starting-style:-translate-y-1 data-starting-style:opacity-0";

export const ITEM_CLASS =
  "flex min-h-9 cursor-pointer items-center gap-2 rounded-control px-2.5 text-sm text-text outline-none select-none data-highlighted:bg-raised data-disabled:cursor-not-allowed data-disabled:opacity-45";

/** A button that names what is chosen and opens a menu of the alternatives. */
export function ChoiceMenu<Value extends string>({
  label,
  value,
  choices,
  onChange,
  icon,
  hideValue = false,
  className,
}: {
  label: string;
  value: Value;
  choices: ReadonlyArray<Choice<Value>>;
  onChange: (value: Value) => void;
  icon?: ReactNode;
  /** The label alone is shown, the chosen value only in the menu. */
  hideValue?: boolean;
  className?: string;
}) {
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className={classNames(
          buttonClass({ variant: "secondary" }),
          "px-3 font-normal! max-md:h-9 max-md:flex-1 max-md:px-2 max-md:text-xs",
          className,
        )}
      >
        {icon}
        <span className={hideValue ? undefined : "text-muted"}>{label}</span>
        {!hideValue && chosen && <span>{chosen.label}</span>}
        <ChevronDown size={14} aria-hidden className="text-muted max-md:hidden" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-50">
          <Menu.Popup className={POPUP_CLASS}>
            <Menu.RadioGroup
              value={value}
              onValueChange={(next) => onChange(next as Value)}
              aria-label={label}
            >
              {choices.map((choice) => (
                <Menu.RadioItem
                  key={choice.value}
                  value={choice.value}
                  disabled={choice.disabled}
                  closeOnClick
                  className={ITEM_CLASS}
                >
                  <span className="flex size-4 items-center">
                    <Menu.RadioItemIndicator>
                      <Check size={16} aria-hidden />
                    </Menu.RadioItemIndicator>
                  </span>
                  {choice.label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
