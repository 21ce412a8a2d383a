import { type Conditions, conditionTexts } from "@/shared/api/conditions";
import { formatBps, formatPercent } from "@/shared/format/percent";
import { classNames } from "@/shared/ui/class-names";

/** One offer to choose: what it is for, its principal in BTC, its LTV and interest. */
export function OfferChoice({
  group,
  title,
  principal,
  ltvBps,
  interestBps,
  conditions = null,
  isChosen,
  onChoose,
}: {
  /** The name that the radios of one choice share. */
  group: string;
  title: string;
  principal: string;
  ltvBps: number | null;
  interestBps: number;
  /** What it asks of borrowers; null if anyone can take it. */
  conditions?: Conditions | null;
  isChosen: boolean;
  onChoose: () => void;
}) {
  return (
    <label
      className={classNames(
        "relative flex flex-col gap-0.5 rounded-control border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus",
        isChosen ? "border-text bg-raised" : "border-line hover:border-line-strong",
      )}
    >
      {/* Over the whole card: a radio that is cut to a pixel lies below the text, and the page scrolls to where it is. */}
      <input
        type="radio"
        name={group}
        checked={isChosen}
        onChange={onChoose}
        className="absolute inset-0 size-full cursor-pointer appearance-none outline-none"
      />
      <span className="text-xs text-soft">{title}</span>
      <span className="font-strong">{principal} BTC</span>
      <span className="text-xs text-muted">
        {ltvBps !== null && `${formatBps(ltvBps)} LTV, `}
        {formatPercent(interestBps / 100)}
      </span>
      {conditions && (
        <span className="text-xs text-up">
          {conditions.borrowerAddress === null ? conditionTexts(conditions).join(", ") : "Only for you"}
        </span>
      )}
    </label>
  );
}
