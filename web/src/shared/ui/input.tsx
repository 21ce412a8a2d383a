import { type ComponentProps, type ReactNode, useId } from "react";
import { classNames } from "./class-names";

interface InputProps extends Omit<ComponentProps<"input">, "size"> {
  /** Shown before the text, usually an icon. */
  leading?: ReactNode;
  /** Shown after the text, usually a muted unit or a small button. */
  trailing?: ReactNode;
  /** Tabular digits, aligned when several inputs are stacked. */
  numeric?: boolean;
  invalid?: boolean;
}

export function Input({ leading, trailing, numeric, invalid, className, ...rest }: InputProps) {
  return (
    <span
      className={classNames(
        "flex h-10 min-w-0 items-center gap-2 rounded-control border bg-ground px-3 transition-colors",
        "focus-within:outline-2 focus-within:outline-offset-0 focus-within:outline-focus",
        "has-disabled:opacity-50",
        invalid ? "border-down" : "border-line hover:border-line-strong",
        className,
      )}
    >
      {leading && <span className="flex shrink-0 items-center text-muted">{leading}</span>}
      <input
        className={classNames(
          "h-full w-full min-w-0 bg-transparent text-sm text-text outline-none",
          numeric && "text-right",
        )}
        inputMode={numeric ? "decimal" : undefined}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={invalid || undefined}
        {...rest}
      />
      {trailing && <span className="flex shrink-0 items-center text-muted">{trailing}</span>}
    </span>
  );
}

interface FieldProps {
  label: string;
  /** A line of help under the control; an error replaces it. */
  hint?: ReactNode;
  error?: string | null;
  /** Receives the ids that tie the control to its label and message. */
  children: (ids: { id: string; "aria-describedby": string | undefined }) => ReactNode;
}

/** A labelled control with one line under it. The line keeps its height, so an error never moves the form. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const messageId = `${id}-message`;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs text-soft">
        {label}
      </label>
      {children({ id, "aria-describedby": error || hint ? messageId : undefined })}
      <p
        id={messageId}
        role={error ? "alert" : undefined}
        className={classNames("min-h-4 text-xs", error ? "text-down" : "text-muted")}
      >
        {error || hint}
      </p>
    </div>
  );
}
