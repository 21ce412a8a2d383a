import type { Dispatch } from "react";
import type { RateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { Button } from "@/shared/ui/button";
import { Field, Input } from "@/shared/ui/input";
import type { PaymentAction, PaymentDraft } from "./payment-draft";

/** Inputs of an amount and a fee rate. */
export function PaymentForm({
  draft,
  dispatch,
  errors,
  disabled,
  maxSats,
  label,
  hint,
  submit,
  bounds,
  canSubmit,
  onSubmit,
}: {
  draft: PaymentDraft;
  dispatch: Dispatch<PaymentAction>;
  errors: string[];
  disabled: boolean;
  /** The amount of the button `Max`; null where it is unknown. */
  maxSats: bigint | null;
  label: string;
  hint: string;
  submit: string;
  /** The accepted fee rates, in sats per virtual byte. */
  bounds: RateBounds;
  canSubmit: boolean;
  onSubmit: () => void;
}) {
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit) onSubmit();
      }}
    >
      <Field label={label} hint={hint} error={errors[0] ?? null}>
        {(ids) => (
          <Input
            {...ids}
            numeric
            placeholder="0.00000"
            value={draft.amountText}
            disabled={disabled}
            invalid={errors.length > 0}
            leading={
              maxSats === null ? undefined : (
                <Button
                  size="small"
                  className="-ml-2 h-7! px-2!"
                  disabled={disabled || maxSats === 0n}
                  onClick={() => dispatch({ type: "everythingChosen", sats: maxSats })}
                >
                  Max
                </Button>
              )
            }
            trailing={<span className="text-sm">BTC</span>}
            onChange={(event) => dispatch({ type: "amountTyped", text: event.target.value })}
          />
        )}
      </Field>
      <FeeRatePicker
        choice={draft.fee}
        disabled={disabled}
        bounds={bounds}
        onChange={(fee) => dispatch({ type: "feeChosen", fee })}
      />
      <Button type="submit" variant="primary" disabled={!canSubmit}>
        {submit}
      </Button>
    </form>
  );
}
