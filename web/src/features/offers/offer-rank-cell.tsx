import type { MyOffer } from "@/shared/api/my-offer";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { pauseReasons, rankLabel } from "./offer-state";
import { rankScore } from "./rank-change";

/**
 * The rank of the offer, or the reason for a missing one. It flashes once on a change. Where the offer can be
 * opened, a pause links to the action that ends it.
 */
export function OfferRankCell({ offer, onOpen }: { offer: MyOffer; onOpen?: (offer: MyOffer) => void }) {
  const isRanked = offer.offerRanking !== null;
  const reasons = pauseReasons(offer);
  return (
    <Changing
      value={rankScore(offer)}
      className={classNames("whitespace-nowrap", isRanked ? "font-strong text-text" : "text-muted")}
    >
      {onOpen && !isRanked && reasons.length > 0 ? (
        <button
          type="button"
          title={reasons.join("\n")}
          onClick={() => onOpen(offer)}
          className="inline-block h-8 max-w-full truncate rounded-control align-middle underline decoration-line-strong underline-offset-4 transition-colors hover:text-text"
        >
          {rankLabel(offer)}
        </button>
      ) : (
        <span title={isRanked ? undefined : reasons.join("\n")}>{rankLabel(offer)}</span>
      )}
    </Changing>
  );
}
