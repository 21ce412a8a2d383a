import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { classNames } from "./class-names";

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  disabled?: boolean;
}

/** A choice of one among few, all visible. */
export function Segmented<Value extends string>({
  label,
  value,
  choices,
  onChange,
  size = "medium",
  className,
}: {
  /** Name of the choice, for screen readers. */
  label: string;
  value: Value;
  choices: ReadonlyArray<Choice<Value>>;
  onChange: (value: Value) => void;
  size?: "small" | "medium";
  className?: string;
}) {
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      className={classNames(
        "inline-flex shrink-0 rounded-control border border-line bg-raised p-0.5",
        className,
      )}
    >
      {choices.map((choice) => (
        <Radio.Root
          key={choice.value}
          value={choice.value}
          disabled={choice.disabled}
          nativeButton
          render={<button type="button" />}
          className={classNames(
            "flex flex-1 items-center justify-center rounded-[6px] px-3 whitespace-nowrap text-soft transition-colors",
            "hover:text-text data-checked:bg-surface data-checked:text-text data-checked:shadow-[0_0_0_1px_var(--line-strong)]",
            "data-disabled:cursor-not-allowed data-disabled:opacity-45",
            size === "small" ? "h-6.5 text-xs" : "h-8.5 text-sm",
          )}
        >
          {choice.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
