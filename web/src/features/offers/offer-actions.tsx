import { CalendarCheck, Eye, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import { Button, IconButton } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { editRefusal } from "./edit-refusal";
import { pauseOffers, resumeOffers } from "./offer-requests";
import { acceptableTerm } from "./offer-state";

export interface OfferHandlers {
  onEdit: (offer: MyOffer) => void;
  onCancel: (offer: MyOffer) => void;
  onOpen: (offer: MyOffer) => void;
  /** Accepts a change of terms. */
  onUpdate: (offer: MyOffer) => void;
}

interface OfferActionsProps extends OfferHandlers {
  offer: MyOffer;
  /** In the table: a smaller desktop screen has room only for the icon of `Update`. */
  isNarrow?: boolean;
}

/** The actions of one offer. */
export function OfferActions(props: OfferActionsProps) {
  const { offer, isNarrow = false, onEdit, onCancel, onOpen, onUpdate } = props;
  const isTaken = isUnderOffer(offer);
  const name = offer.collectionName;
  return (
    <span className="flex items-center justify-end">
      {acceptableTerm(offer) && (
        <Button
          size="small"
          className={isNarrow ? "max-xl:w-8 max-xl:px-0 xl:mr-1" : "mr-1"}
          onClick={() => onUpdate(offer)}
          aria-label={`Update offer for ${name}`}
          title="Update: accept the new terms"
        >
          {isNarrow && <CalendarCheck size={16} aria-hidden className="text-warn xl:hidden" />}
          <span className={isNarrow ? "max-xl:hidden" : undefined}>Update</span>
        </Button>
      )}
      <IconButton size="small" label={`View offer for ${name}`} onClick={() => onOpen(offer)}>
        <Eye size={16} aria-hidden />
      </IconButton>
      <IconButton
        size="small"
        label={editLabel(offer)}
        disabled={editRefusal(offer) !== null}
        onClick={() => onEdit(offer)}
      >
        <Pencil size={16} aria-hidden />
      </IconButton>
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

function editLabel(offer: MyOffer): string {
  const refusal = editRefusal(offer);
  return refusal === null ? `Edit offer for ${offer.collectionName}` : `Cannot edit offer: ${refusal}`;
}

function PauseButton({ offer, disabled }: { offer: MyOffer; disabled: boolean }) {
  const [isBusy, setIsBusy] = useState(false);
  const isPaused = offer.isPausedByLender;

  async function toggle() {
    setIsBusy(true);
    const failure = isPaused ? "Offer could not be resumed" : "Offer could not be paused";
    try {
      const { refused } = await (isPaused ? resumeOffers : pauseOffers)([offer.offerId]);
      if (refused[0]) notify.error(failure, refused[0].reason);
      else notify.success(isPaused ? "Offer resumed" : "Offer paused");
    } catch (error) {
      notify.error(failure, errorText(error));
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
