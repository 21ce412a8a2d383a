import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Input } from "@/shared/ui/input";
import { Segmented } from "@/shared/ui/segmented";
import { chainQuery } from "./chain-status";
import {
  type FeeChoice,
  type FeeSpeed,
  feeRateError,
  feeRateOf,
  type RateBounds,
  typedRate,
} from "./fee-rate";
import { upstreamOutage } from "./upstream-outage";

const SPEEDS: ReadonlyArray<{ value: FeeSpeed; label: string }> = [
  { value: "fast", label: "Fast" },
  { value: "halfHour", label: "30 min" },
  { value: "hour", label: "1 hour" },
  { value: "custom", label: "Custom" },
];

const WAIT: Record<FeeSpeed, string> = {
  fast: "Usually in the next block.",
  halfHour: "Usually within three blocks.",
  hour: "Usually within six blocks.",
  custom: "The lower the rate, the longer it can wait for a block.",
};

/** A picker of the fee rate in sats per virtual byte. `feeRateOf` returns the chosen rate. */
export function FeeRatePicker({
  choice,
  onChange,
  bounds,
  disabled = false,
}: {
  choice: FeeChoice;
  /** Narrower bounds than those of any wallet payment. */
  bounds?: RateBounds;
  onChange: (choice: FeeChoice) => void;
  disabled?: boolean;
}) {
  const { data: chain, error: problem } = useQuery(chainQuery);
  const outage = upstreamOutage(chain, problem);
  const id = useId();
  const rate = feeRateOf(choice, chain, bounds);
  const error = feeRateError(choice, bounds, chain);
  const isUnknown = problem !== null && !chain && choice.speed !== "custom";
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <legend className="float-left text-xs text-soft">Select a fee rate</legend>
        <span className="text-xs text-muted">{rate === null ? "– sats/vB" : `${rate} sats/vB`}</span>
      </div>
      <Segmented
        label="Select a fee rate"
        value={choice.speed}
        choices={SPEEDS.map((speed) => ({
          ...speed,
          // A rate below the minimum is not offered.
          disabled:
            disabled ||
            feeRateError({ ...choice, speed: speed.value, customText: "" }, bounds, chain) !== null,
        }))}
        onChange={(speed) => onChange({ ...choice, speed })}
        className="w-full max-sm:[&>*]:px-1"
      />
      {choice.speed === "custom" && (
        <Input
          aria-label="Fee rate"
          aria-describedby={id}
          numeric
          placeholder="0"
          trailing={<span className="text-sm">sats/vB</span>}
          value={choice.customText}
          invalid={error !== null}
          disabled={disabled}
          onChange={(event) =>
            onChange({ ...choice, customText: typedRate(choice.customText, event.target.value) })
          }
        />
      )}
      <p
        id={id}
        role={error ? "alert" : undefined}
        className={error ? "text-xs text-down" : "text-xs text-muted"}
      >
        {error ??
          (isUnknown
            ? `The recommended rates are not known now.${outage ? "" : " Choose your own."}`
            : choice.speed === "custom" && chain
              ? `The next block takes ${chain.feeRates.fast} sats/vB now. ${WAIT.custom}`
              : WAIT[choice.speed])}
      </p>
      {outage && (
        <p role="alert" className="rounded-control bg-warn-tint px-3 py-2 text-sm text-warn">
          {outage.title}. Nothing can be sent until it is back.
        </p>
      )}
    </fieldset>
  );
}
