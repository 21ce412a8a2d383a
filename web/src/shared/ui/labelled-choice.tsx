import { classNames } from "./class-names";
import { type Choice, Segmented } from "./segmented";

/** A choice of one among few, all visible, under its label and over the full width. */
export function LabelledChoice<Value extends string>({
  label,
  disabled,
  choices,
  className,
  ...rest
}: {
  label: string;
  value: Value;
  choices: ReadonlyArray<Choice<Value>>;
  disabled: boolean;
  onChange: (value: Value) => void;
  className?: string;
}) {
  return (
    <div className="flex flex-col gap-1">
      <span aria-hidden className="text-xs text-soft">
        {label}
      </span>
      <Segmented
        {...rest}
        label={label}
        choices={choices.map((choice) => ({ ...choice, disabled: disabled || choice.disabled }))}
        className={classNames("w-full", className)}
      />
    </div>
  );
}
