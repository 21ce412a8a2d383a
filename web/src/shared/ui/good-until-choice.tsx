import { GOOD_FOR_CHOICES, type GoodForDays } from "./good-until";
import { Segmented } from "./segmented";

const NO_EXPIRY = "no expiry";

/** The choice of the time for which an offer is good; undefined before one is made. */
export function GoodUntilChoice({
  days,
  disabled = false,
  onChange,
}: {
  days: GoodForDays | undefined;
  disabled?: boolean;
  onChange: (days: GoodForDays) => void;
}) {
  return (
    <div className="flex flex-col gap-1">
      <span aria-hidden className="text-xs text-soft">
        Good for
      </span>
      <Segmented
        label="Good for"
        value={days === undefined ? "" : days === null ? NO_EXPIRY : String(days)}
        choices={[
          { value: NO_EXPIRY, label: "No expiry", disabled },
          ...GOOD_FOR_CHOICES.map((each) => ({
            value: String(each),
            label: each === 1 ? "1 day" : `${each} days`,
            disabled,
          })),
        ]}
        onChange={(value) => onChange(value === NO_EXPIRY ? null : Number(value))}
        className="w-full"
      />
    </div>
  );
}
