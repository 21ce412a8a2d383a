import type { MyOffer } from "@/shared/api/my-offer";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { pauseReasons, standing } from "./offer-state";
import { standingScore } from "./rank-news";

/** Where the offer stands, or why it does not. It flashes once when it moves. */
export function OfferStanding({ offer }: { offer: MyOffer }) {
  const isRanked = offer.offerRanking !== null;
  return (
    <Changing
      value={standingScore(offer)}
      className={classNames("whitespace-nowrap", isRanked ? "font-strong text-text" : "text-muted")}
    >
      <span title={isRanked ? undefined : pauseReasons(offer).join("\n")}>{standing(offer)}</span>
    </Changing>
  );
}
