import type { ReactNode } from "react";
import { typedAmount } from "@/shared/format/btc-amount";
import { Field, Input } from "./input";

interface AmountFieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | null | undefined;
  /** As it was typed. */
  text: string;
  disabled: boolean;
  onText: (text: string) => void;
}

interface NumberFieldProps extends AmountFieldProps {
  placeholder?: string;
  unit?: string;
}

function NumberField({ label, hint, error, text, disabled, placeholder, unit, onText }: NumberFieldProps) {
  return (
    <Field label={label} hint={hint} error={error ?? null}>
      {(ids) => (
        <Input
          {...ids}
          numeric
          placeholder={placeholder}
          value={text}
          disabled={disabled}
          invalid={Boolean(error)}
          onChange={(event) => onText(event.target.value)}
          trailing={unit}
        />
      )}
    </Field>
  );
}

/** An amount of BTC to type, at most `maxSats`. */
export function BtcField({
  maxSats,
  placeholder = "0.00000",
  onText,
  ...field
}: AmountFieldProps & { maxSats: bigint; placeholder?: string }) {
  return (
    <NumberField
      {...field}
      placeholder={placeholder}
      unit="BTC"
      onText={(text) => onText(typedAmount(field.text, text, maxSats))}
    />
  );
}

/** A percentage to type; a comma is the decimal point of many keyboards. */
export function PercentField({ onText, ...field }: AmountFieldProps) {
  return <NumberField {...field} unit="%" onText={(text) => onText(text.replace(",", "."))} />;
}

/** A number of days to type. */
export function DaysField(field: AmountFieldProps) {
  return <NumberField {...field} unit="days" />;
}

/** An amount of tokens to type, in decimals. */
export function TokenField(field: AmountFieldProps) {
  return <NumberField {...field} placeholder="0" />;
}
