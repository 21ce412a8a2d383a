import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { Button } from "@/shared/ui/button";
import { type GoodForDays, goodUntilMs } from "@/shared/ui/good-until";
import { GoodUntilChoice } from "@/shared/ui/good-until-choice";
import { notify } from "@/shared/ui/notify";
import { setGoodUntil } from "./offer-requests";
import { expiryText } from "./offer-state";

/** The time until which an offer is good, and a new one. */
export function OfferExpiry({ offer }: { offer: MyOffer }) {
  const [isOpened, setIsOpened] = useState(false);
  const [days, setDays] = useState<GoodForDays>();
  const [isBusy, setIsBusy] = useState(false);
  // An offer that expires meanwhile asks for a new time at once.
  const isOpen = isOpened || offer.isExpired;

  function toggle() {
    setIsOpened(!isOpened);
    setDays(undefined);
  }

  async function submit() {
    if (days === undefined) return;
    setIsBusy(true);
    try {
      const { refused } = await setGoodUntil(offer.offerId, goodUntilMs(days, Date.now()));
      if (refused[0]) notify.error("The expiry could not be changed", refused[0].reason);
      else {
        notify.success(offer.isExpired ? "Offer renewed" : "Expiry changed");
        setIsOpened(false);
        setDays(undefined);
      }
    } catch (error) {
      notify.error("The expiry could not be changed", errorText(error));
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <section aria-label="Expiry" className="flex flex-col gap-3 rounded-control border border-line px-3 py-2">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="text-soft">{expiryText(offer)}</span>
        {!offer.isExpired && (
          <Button size="small" aria-expanded={isOpen} disabled={isBusy} onClick={toggle}>
            {isOpen ? "Keep it" : "Change expiry"}
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          <GoodUntilChoice days={days} disabled={isBusy} onChange={setDays} />
          <Button
            size="small"
            variant="primary"
            className="self-end"
            disabled={isBusy || days === undefined}
            onClick={() => void submit()}
          >
            {isBusy ? "Saving..." : offer.isExpired ? "Renew offer" : "Save expiry"}
          </Button>
        </>
      )}
    </section>
  );
}
