import { useId } from "react";
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
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={classNames(
        "inline-flex shrink-0 rounded-control border border-line bg-raised p-0.5",
        className,
      )}
    >
      {choices.map((choice) => (
        <label
          key={choice.value}
          className={classNames(
            "relative flex flex-1 items-center justify-center rounded-[6px] px-3 whitespace-nowrap text-soft transition-colors",
            "hover:text-text has-checked:bg-surface has-checked:text-text has-checked:shadow-[0_0_0_1px_var(--line-strong)]",
            "has-disabled:cursor-not-allowed has-disabled:opacity-45",
            size === "small" ? "h-6.5 text-xs" : "h-8.5 text-sm",
          )}
        >
          {/* It covers its label, so that the ring of the focus is around both. */}
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            disabled={choice.disabled}
            onChange={() => onChange(choice.value)}
            className="absolute inset-0 m-0 cursor-[inherit] appearance-none rounded-[6px]"
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
