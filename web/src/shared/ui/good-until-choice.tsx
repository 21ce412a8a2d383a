import { GOOD_FOR_CHOICES, type GoodForDays } from "./good-until";
import { LabelledChoice } from "./labelled-choice";

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
    <LabelledChoice
      label="Good for"
      value={days === undefined ? "" : days === null ? NO_EXPIRY : String(days)}
      choices={[{ value: NO_EXPIRY, label: "No expiry" }, ...GOOD_FOR_CHOICES]}
      disabled={disabled}
      onChange={(value) => onChange(value === NO_EXPIRY ? null : Number(value))}
    />
  );
}
