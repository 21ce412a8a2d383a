import { formatBps, formatPercent } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { classNames } from "@/shared/ui/class-names";
import type { RuneCard } from "./rune-draft";

/** The best offer of each term for the amount: days, principal, and LTV. */
export function RuneCards({
  cards,
  chosenId,
  message,
  disabled,
  onChoose,
}: {
  cards: readonly RuneCard[];
  chosenId: string | null;
  /** Shown in place of the cards when there are none. */
  message: string | null;
  disabled: boolean;
  onChoose: (offerId: string) => void;
}) {
  if (message !== null) {
    return (
      <p
        role="status"
        className="rounded-control border border-line bg-ground px-3 py-6 text-center text-sm text-soft"
      >
        {message}
      </p>
    );
  }
  return (
    <fieldset disabled={disabled} className="min-w-0">
      <legend className="mb-2 text-xs text-soft">Offer</legend>
      <div className="grid grid-cols-2 gap-2 md:grid-cols-3">
        {cards.map((card) => (
          <label
            key={card.termDays}
            className={classNames(
              "flex cursor-pointer flex-col gap-0.5 rounded-control border px-3 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus",
              card.offerId === chosenId ? "border-text bg-raised" : "border-line hover:border-line-strong",
            )}
          >
            <input
              type="radio"
              name="rune-offer"
              checked={card.offerId === chosenId}
              onChange={() => onChoose(card.offerId)}
              className="sr-only"
            />
            <span className="text-xs text-soft">{card.termDays} days</span>
            <span className="font-strong">{formatBtcPaid(card.principalSats)} BTC</span>
            <span className="text-xs text-muted">
              {card.ltvBps !== null && `${formatBps(card.ltvBps)} LTV, `}
              {formatPercent(card.interestBps / 100)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
