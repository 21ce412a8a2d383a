import { classNames } from "@/shared/ui/class-names";

/** A choice of terms: all, or some. Choosing a term replaces All, and the reverse. */
export function TermChips({
  terms,
  chosen,
  disabled,
  onAll,
  onToggle,
}: {
  /** Days. */
  terms: readonly number[];
  /** Empty for all. */
  chosen: readonly number[];
  disabled: boolean;
  onAll: () => void;
  onToggle: (termDays: number) => void;
}) {
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-2 text-xs text-soft">Term</legend>
      <div className="flex flex-wrap gap-2">
        <Chip label="All" isChosen={chosen.length === 0} onPress={onAll} />
        {terms.map((days) => (
          <Chip
            key={days}
            label={`${days} days`}
            isChosen={chosen.includes(days)}
            onPress={() => onToggle(days)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Chip({ label, isChosen, onPress }: { label: string; isChosen: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onPress}
      className={classNames(
        "h-9 rounded-full border px-3.5 text-sm transition-colors disabled:opacity-45",
        isChosen ? "border-text bg-raised text-text" : "border-line text-soft hover:border-line-strong",
      )}
    >
      {label}
    </button>
  );
}
