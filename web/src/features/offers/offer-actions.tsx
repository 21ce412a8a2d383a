import { Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { IconButton } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { pauseOffers, resumeOffers } from "./offer-requests";
import { isUnderOffer } from "./offer-state";

export interface OfferActs {
  onEdit: (offer: MyOffer) => void;
  onCancel: (offer: MyOffer) => void;
}

/** What can be done with one offer. */
export function OfferActions({ offer, onEdit, onCancel }: { offer: MyOffer } & OfferActs) {
  const isTaken = isUnderOffer(offer);
  const isManual = offer.loanProcessType === "Manual";
  const name = offer.collectionName;
  return (
    <span className="flex items-center justify-end">
      {isManual && (
        <IconButton
          size="small"
          label={isTaken ? `Cannot edit offer: a borrower is taking it` : `Edit offer for ${name}`}
          disabled={isTaken}
          onClick={() => onEdit(offer)}
        >
          <Pencil size={16} aria-hidden />
        </IconButton>
      )}
      <PauseButton offer={offer} disabled={isTaken} />
      <IconButton
        size="small"
        label={isTaken ? "Can not cancel offer right now." : `Cancel offer for ${name}`}
        disabled={isTaken}
        onClick={() => onCancel(offer)}
      >
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </span>
  );
}

function PauseButton({ offer, disabled }: { offer: MyOffer; disabled: boolean }) {
  const [isBusy, setIsBusy] = useState(false);
  const isPaused = offer.isPausedByLender;

  async function toggle() {
    setIsBusy(true);
    const failure = isPaused ? "Offer could not be resumed" : "Offer could not be paused";
    try {
      const { refusal } = await (isPaused ? resumeOffers : pauseOffers)([offer.offerId]);
      if (refusal) notify.error(failure, refusal);
      else notify.success(isPaused ? "Offer resumed" : "Offer paused");
    } catch (error) {
      notify.error(failure, error instanceof Error ? error.message : "An unknown error occurred");
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <IconButton
      size="small"
      label={`${isPaused ? "Resume" : "Pause"} offer for ${offer.collectionName}`}
      disabled={disabled || isBusy}
      onClick={() => void toggle()}
    >
      {isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
    </IconButton>
  );
}
