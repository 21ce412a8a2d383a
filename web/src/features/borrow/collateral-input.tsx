import { Slider } from "@base-ui/react/slider";
import { Plus } from "lucide-react";
import { type Dispatch, useEffect, useId, useRef, useState } from "react";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { Button, IconButton } from "@/shared/ui/button";
import { Input } from "@/shared/ui/input";
import { LtvGraph } from "./ltv-graph";
import { amountOf, ltvSteps, maxRaw, type RuneAction, type RuneDraft } from "./rune-draft";

/** Steps of the slider; the button next to it moves it by a hundredth. */
const STEPS = 1_000;
const PLUS_STEPS = 10;
/** The graph stays visible after the last move, so that it does not flicker with the keys. */
const GRAPH_STAYS_MS = 1_500;

/** The amount of a rune to pledge: typed, everything, or chosen on a slider along the lenders' offers. */
export function CollateralInput({
  draft,
  unit,
  disabled,
  dispatch,
}: {
  draft: RuneDraft;
  unit: string;
  disabled: boolean;
  dispatch: Dispatch<RuneAction>;
}) {
  const id = useId();
  const { decimals, balance } = draft.target;
  const max = maxRaw(draft.target);
  const raw = amountOf(draft);
  const { isSliding, moved } = useSliding();
  const isOff = disabled || max === 0n;
  const position = max === 0n ? 0 : Number((raw * BigInt(STEPS)) / max);

  function slideTo(step: number) {
    moved();
    const clamped = Math.min(STEPS, Math.max(0, Math.round(step)));
    dispatch({ type: "amountSet", raw: (max * BigInt(clamped)) / BigInt(STEPS) });
  }

  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between gap-3 text-xs">
        <label htmlFor={id} className="text-soft">
          Collateral
        </label>
        {balance !== null && (
          <span className="truncate text-muted">
            {formatTokenAmount(balance, decimals, 4)} in your wallet
          </span>
        )}
      </div>
      <Input
        id={id}
        numeric
        placeholder="0"
        value={draft.amountText ?? ""}
        disabled={isOff}
        onChange={(event) => dispatch({ type: "amountTyped", text: event.target.value })}
        trailing={
          <Button
            size="small"
            variant="quiet"
            disabled={isOff}
            onClick={() => dispatch({ type: "amountSet", raw: max })}
            className="-mr-2"
          >
            Max
          </Button>
        }
      />
      <div className="flex items-center gap-3">
        <Slider.Root
          value={position}
          min={0}
          max={STEPS}
          step={1}
          largeStep={PLUS_STEPS}
          thumbAlignment="edge"
          disabled={isOff}
          onValueChange={(value) => slideTo(value)}
          className="min-w-0 flex-1"
        >
          <Slider.Control className="flex h-10 touch-none items-center select-none data-disabled:opacity-45">
            <Slider.Track className="h-1.5 w-full rounded-full bg-line">
              <Slider.Indicator className="rounded-full bg-soft" />
              <Slider.Thumb
                getAriaLabel={() => "Collateral"}
                getAriaValueText={() => `${formatTokenAmount(raw, decimals, 4)} ${unit}`}
                className="size-5 rounded-full border-2 border-text bg-surface has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
              />
            </Slider.Track>
          </Slider.Control>
        </Slider.Root>
        <IconButton
          label="More collateral"
          size="small"
          disabled={isOff || raw >= max}
          onClick={() => slideTo(position + PLUS_STEPS)}
        >
          <Plus size={16} aria-hidden />
        </IconButton>
      </div>
      {isSliding && max > 0n && (
        <LtvGraph steps={ltvSteps(draft)} raw={raw} maxRaw={max} decimals={decimals} unit={unit} />
      )}
    </div>
  );
}

/** Whether the slider was moved recently. */
function useSliding() {
  const [isSliding, setIsSliding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isSliding,
    moved: () => {
      setIsSliding(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setIsSliding(false), GRAPH_STAYS_MS);
    },
  };
}
