import type { MyOffer } from "@/shared/api/my-offer";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { pauseReasons, standing } from "./offer-state";
import { standingScore } from "./rank-news";

/**
 * Where the offer stands, or why it does not. It flashes once when it moves. A pause leads to what ends it, where the
 * offer can be opened.
 */
export function OfferStanding({ offer, onOpen }: { offer: MyOffer; onOpen?: (offer: MyOffer) => void }) {
  const isRanked = offer.offerRanking !== null;
  const reasons = pauseReasons(offer);
  return (
    <Changing
      value={standingScore(offer)}
      className={classNames("whitespace-nowrap", isRanked ? "font-strong text-text" : "text-muted")}
    >
      {onOpen && !isRanked && reasons.length > 0 ? (
        <button
          type="button"
          title={reasons.join("\n")}
          onClick={() => onOpen(offer)}
          className="inline-block h-8 max-w-full truncate rounded-control align-middle underline decoration-line-strong underline-offset-4 transition-colors hover:text-text"
        >
          {standing(offer)}
        </button>
      ) : (
        <span title={isRanked ? undefined : reasons.join("\n")}>{standing(offer)}</span>
      )}
    </Changing>
  );
}
