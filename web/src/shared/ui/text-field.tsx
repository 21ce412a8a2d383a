import type { ReactNode } from "react";
import { Field, Input } from "./input";

/** A line of text to type. */
export function TextField({
  label,
  hint,
  error = null,
  text,
  placeholder,
  maxLength,
  disabled,
  onText,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  /** As it was typed. */
  text: string;
  placeholder?: string;
  maxLength?: number;
  disabled: boolean;
  onText: (text: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <Input
          {...ids}
          value={text}
          placeholder={placeholder}
          maxLength={maxLength}
          disabled={disabled}
          invalid={Boolean(error)}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}
