import { Zap } from "lucide-react";
import { formatDailyInterest, formatPercent } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { classNames } from "@/shared/ui/class-names";
import type { RefinanceOffer } from "./refinance-choice";

/** A choice of one of the offers that could repay a loan. */
export function RefinanceOffers({
  offers,
  chosenId,
  onChoose,
}: {
  offers: readonly RefinanceOffer[];
  chosenId: string | null;
  onChoose: (offerId: string) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-xs text-soft">The new loan</legend>
      {offers.map((offer) => (
        <label
          key={offer.offerId}
          className={classNames(
            "grid min-h-14 cursor-pointer grid-cols-[auto_1fr_auto] items-center gap-x-3 rounded-control border px-3 py-2 text-sm transition-colors",
            offer.offerId === chosenId ? "border-text" : "border-line hover:border-line-strong",
          )}
        >
          <input
            type="radio"
            name="refinance-offer"
            checked={offer.offerId === chosenId}
            onChange={() => onChoose(offer.offerId)}
            className="row-span-2 size-4 accent-text"
          />
          <span className="font-strong">
            {formatBtcPaid(offer.principal)} <span className="font-normal text-muted">BTC</span>
          </span>
          <span className="text-right text-soft">
            {offer.term} days at {formatPercent(offer.interest)}
          </span>
          <span className="text-xs text-muted">
            <Process {...offer} />
          </span>
          <span className="text-right text-xs text-muted">
            {formatDailyInterest(offer.interest, offer.term)} a day
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Process({ process }: Pick<RefinanceOffer, "process">) {
  if (process === "manual") return "Lender signs within 12 hours";
  return (
    <span className="inline-flex items-center gap-1">
      <Zap size={12} aria-hidden />
      Instant
    </span>
  );
}
