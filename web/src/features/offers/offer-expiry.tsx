import { useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { Button } from "@/shared/ui/button";
import { type GoodUntil, UNTIL_CANCELLED } from "@/shared/ui/good-until";
import { GoodUntilChoice } from "@/shared/ui/good-until-choice";
import { notify } from "@/shared/ui/notify";
import { setGoodUntil } from "./offer-requests";
import { expiryText } from "./offer-state";

/** The time until which an offer is good, and a new one. */
export function OfferExpiry({ offer }: { offer: MyOffer }) {
  const [isOpen, setIsOpen] = useState(offer.isExpired);
  const [chosen, setChosen] = useState<GoodUntil>(UNTIL_CANCELLED);
  const [isBusy, setIsBusy] = useState(false);

  async function submit() {
    setIsBusy(true);
    try {
      const { refused } = await setGoodUntil(offer.offerId, chosen.atMs);
      if (refused[0]) notify.error("The time could not be changed", refused[0].reason);
      else {
        notify.success(offer.isExpired ? "Offer renewed" : "Time changed");
        setIsOpen(false);
      }
    } catch (error) {
      notify.error(
        "The time could not be changed",
        error instanceof Error ? error.message : "An unknown error occurred",
      );
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <section aria-label="Expiry" className="flex flex-col gap-3 rounded-control border border-line px-3 py-2">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="text-soft">{expiryText(offer)}</span>
        {!isOpen && (
          <Button size="small" onClick={() => setIsOpen(true)}>
            {offer.isExpired ? "Renew" : "Change"}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <GoodUntilChoice value={chosen} disabled={isBusy} onChange={setChosen} />
          <div className="flex justify-end gap-2">
            <Button size="small" disabled={isBusy} onClick={() => setIsOpen(false)}>
              Keep as it is
            </Button>
            <Button size="small" variant="primary" disabled={isBusy} onClick={() => void submit()}>
              {isBusy ? "Loading..." : offer.isExpired ? "Renew offer" : "Change time"}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
