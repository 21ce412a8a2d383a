import { formatBtcPaid } from "@/shared/format/sats";
import { OfferChoice } from "./offer-choice";
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
          <OfferChoice
            key={card.termDays}
            group="rune-offer"
            title={`${card.termDays} days`}
            principal={formatBtcPaid(card.principalSats)}
            ltvBps={card.ltvBps}
            interestBps={card.interestBps}
            isChosen={card.offerId === chosenId}
            onChoose={() => onChoose(card.offerId)}
          />
        ))}
      </div>
    </fieldset>
  );
}
