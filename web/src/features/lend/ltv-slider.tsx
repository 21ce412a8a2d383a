import { Slider } from "@base-ui/react/slider";
import { classNames } from "@/shared/ui/class-names";
import { LTV_CEILING_PERCENT } from "./lend-draft";

/** The LTV in percent. The keys `=` and `-` move it too, wherever the focus is. */
export function LtvSlider({
  percent,
  step = 1,
  shown,
  isTooHigh,
  disabled,
  onChange,
}: {
  percent: number;
  /** In percent. */
  step?: number;
  /** The exact LTV of the amount, as text. */
  shown: string;
  isTooHigh: boolean;
  disabled: boolean;
  onChange: (percent: number) => void;
}) {
  return (
    <Slider.Root
      value={percent}
      min={1}
      max={LTV_CEILING_PERCENT}
      step={step}
      thumbAlignment="edge"
      disabled={disabled}
      onValueChange={(value) => onChange(value)}
      className="flex flex-col gap-1"
    >
      <div className="flex items-baseline justify-between">
        <Slider.Label className="text-xs text-soft">LTV</Slider.Label>
        <span className={classNames("text-sm font-strong", isTooHigh && "text-down")} data-testid="ltv">
          {shown}
        </span>
      </div>
      <Slider.Control className="flex h-10 touch-none items-center select-none data-disabled:opacity-45">
        <Slider.Track className="h-1.5 w-full rounded-full bg-line">
          <Slider.Indicator className="rounded-full bg-soft" />
          <Slider.Thumb
            getAriaValueText={(_, value) => `${value} percent`}
            className="size-5 rounded-full border-2 border-text bg-surface has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
          />
        </Slider.Track>
      </Slider.Control>
      <p className="flex justify-between text-xs text-muted">
        <span>1%</span>
        <span className="hidden md:inline">
          <kbd className="font-mono">-</kbd> lowers, <kbd className="font-mono">=</kbd> raises
        </span>
        <span>{LTV_CEILING_PERCENT}%</span>
      </p>
    </Slider.Root>
  );
}
