import type { ReactNode } from "react";
import { typedAmount } from "@/shared/format/btc-amount";
import { Field, Input } from "./input";

interface AmountFieldProps {
  label: string;
  hint?: ReactNode;
  /** As it was typed. */
  text: string;
  disabled: boolean;
  onText: (text: string) => void;
}

/** An amount of BTC to type, at most `maxSats`. */
export function BtcField({
  maxSats,
  placeholder = "0.00000",
  ...field
}: AmountFieldProps & { maxSats: bigint; placeholder?: string }) {
  const { label, hint, text, disabled, onText } = field;
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          numeric
          placeholder={placeholder}
          value={text}
          disabled={disabled}
          onChange={(event) => onText(typedAmount(text, event.target.value, maxSats))}
          trailing="BTC"
        />
      )}
    </Field>
  );
}

/** A percentage to type; a comma is the decimal point of many keyboards. */
export function PercentField({ label, hint, text, disabled, onText }: AmountFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          numeric
          value={text}
          disabled={disabled}
          onChange={(event) => onText(event.target.value.replace(",", "."))}
          trailing="%"
        />
      )}
    </Field>
  );
}

/** An amount of tokens to type, in decimals. */
export function TokenField({ label, hint, text, disabled, onText }: AmountFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          numeric
          placeholder="0"
          value={text}
          disabled={disabled}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}
