import { formatMoment } from "@/shared/format/age";
import { GOOD_FOR_DAYS, type GoodUntil, goodFor, UNTIL_CANCELLED } from "./good-until";
import { Segmented } from "./segmented";

/** The choice of the time until which an offer is good. */
export function GoodUntilChoice({
  value,
  disabled = false,
  onChange,
}: {
  value: GoodUntil;
  disabled?: boolean;
  onChange: (value: GoodUntil) => void;
}) {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap justify-between gap-x-3 text-xs text-soft">
        <span>Good until</span>
        <span className="text-muted">{value.atMs === null ? "you cancel it" : formatMoment(value.atMs)}</span>
      </p>
      <Segmented
        label="Good until"
        value={String(value.days)}
        choices={[
          { value: "null", label: "Cancelled", disabled },
          ...GOOD_FOR_DAYS.map((days) => ({
            value: String(days),
            label: days === 1 ? "1 day" : `${days} days`,
            disabled,
          })),
        ]}
        onChange={(days) => onChange(days === "null" ? UNTIL_CANCELLED : goodFor(Number(days), Date.now()))}
        className="w-full"
      />
    </div>
  );
}
