import { parseAsString, useQueryState } from "nuqs";
import { useCallback, useEffect } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { notify } from "@/shared/ui/notify";

interface ViewedOffer {
  offer: MyOffer | null;
  view: (offer: MyOffer) => void;
  leave: () => void;
}

/** The offer that is open. The URL names it, so that a notice can link to it; a missing one is reported. */
export function useViewedOffer(offers: ReadonlyMap<string, MyOffer>, isLive: boolean): ViewedOffer {
  const [offerId, setOfferId] = useQueryState("offer", parseAsString.withOptions({ history: "push" }));
  const offer = (offerId !== null && offers.get(offerId)) || null;
  const isGone = isLive && offerId !== null && offer === null;

  useEffect(() => {
    if (!isGone) return;
    notify.error(
      "Cannot view offer",
      "It is no longer among your offers: it was cancelled, edited or used up.",
    );
    void setOfferId(null, { history: "replace" });
  }, [isGone, setOfferId]);

  const view = useCallback((next: MyOffer) => void setOfferId(next.offerId), [setOfferId]);
  const leave = useCallback(() => void setOfferId(null, { history: "replace" }), [setOfferId]);
  return { offer, view, leave };
}
