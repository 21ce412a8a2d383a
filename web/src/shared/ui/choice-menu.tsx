import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "./button";
import { classNames } from "./class-names";
import { lazyPopup } from "./lazy-popup";
import type { Choice } from "./segmented";

export interface ChoiceMenuProps<Value extends string> {
  label: string;
  value: Value;
  choices: ReadonlyArray<Choice<Value>>;
  onChange: (value: Value) => void;
  icon?: ReactNode;
  /** The label alone is shown, the chosen value only in the menu. */
  hideValue?: boolean;
  className?: string;
}

const LazyChoiceMenu = lazyPopup<ChoiceMenuProps<string>>(
  "menu",
  () => import("./choice-menu-popup").then((module) => module.ChoiceMenuPopup),
  ({ trigger, ...props }) => (
    <button type="button" {...trigger} className={choiceTriggerClass(props.className)}>
      <ChoiceTriggerContent {...props} />
    </button>
  ),
);

/** A button that names what is chosen and opens a menu of the alternatives. */
export function ChoiceMenu<Value extends string>({ onChange, ...props }: ChoiceMenuProps<Value>) {
  return <LazyChoiceMenu {...props} onChange={(value) => onChange(value as Value)} />;
}

export function choiceTriggerClass(className: string | undefined): string {
  return classNames(
    buttonClass({ variant: "secondary" }),
    "px-3 font-normal! max-md:h-9 max-md:flex-1 max-md:px-2 max-md:text-xs",
    className,
  );
}

export function ChoiceTriggerContent({ label, value, choices, icon, hideValue }: ChoiceMenuProps<string>) {
  const chosen = choices.find((choice) => choice.value === value);
  return (
    <>
      {icon}
      <span className={hideValue ? undefined : "text-muted"}>{label}</span>
      {!hideValue && chosen && <span>{chosen.label}</span>}
      <ChevronDown size={14} aria-hidden className="text-muted max-md:hidden" />
    </>
  );
}
