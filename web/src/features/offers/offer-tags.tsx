import { Zap } from "lucide-react";
import type { MyOffer } from "@/shared/api/my-offer";
import { Badge } from "@/shared/ui/badge";
import { classNames } from "@/shared/ui/class-names";
import { pauseReasons, termWarning } from "./offer-state";

/** What is special about an offer, in words. What every offer has, its process and its collateral, only `full` says. */
export function OfferTags({ offer, full = false }: { offer: MyOffer; full?: boolean }) {
  const reasons = pauseReasons(offer);
  const warning = termWarning(offer);
  const collateral = { inscription: "ordinal", rune: "rune", brc20: "BRC-20" }[offer.collateralType];
  return (
    <span className={classNames("flex items-center gap-1", full ? "min-w-0 flex-wrap" : "shrink-0")}>
      {reasons.length > 0 && (
        <Badge tone="warn" title={reasons.join("\n")}>
          Paused
        </Badge>
      )}
      {warning && (
        <Badge tone="warn" title="The offer pauses on that day unless you accept the new terms">
          {warning}
        </Badge>
      )}
      {offer.isBestOffer && <Badge tone="own">best offer</Badge>}
      {offer.tags.includes("under offer") && <Badge tone="up">under offer</Badge>}
      {full ? (
        <Badge>{offer.loanProcessType === "Instant" ? "instant" : "manual"}</Badge>
      ) : (
        offer.loanProcessType === "Instant" && (
          <Badge title="instant" className="px-1">
            <Zap size={12} aria-hidden />
            <span className="sr-only">instant</span>
          </Badge>
        )
      )}
      {full && <Badge>{collateral}</Badge>}
    </span>
  );
}
