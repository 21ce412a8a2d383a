import { useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { formatBtc } from "@/shared/format/sats";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import { cancelOffer } from "./cancellation";
import { rankLabel } from "./offer-state";

/**
 * Asks for confirmation before an offer is cancelled. An instant one also needs a signature, a manual one
 * does not.
 */
export function CancelDialog({ offer, onClose }: { offer: MyOffer; onClose: () => void }) {
  const session = useSession((state) => state.session);
  const config = useLenderConfig();
  const [isBusy, setIsBusy] = useState(false);
  const isInstant = offer.loanProcessType === "Instant";

  async function cancel() {
    setIsBusy(true);
    const isGone = await cancelOffer(offer, session, config);
    setIsBusy(false);
    if (isGone) onClose();
  }

  const waiting = isInstant ? "Please sign with wallet..." : "Cancelling...";
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Cancel this offer?"
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Keep it
          </Button>
          <Button variant="danger" disabled={isBusy} onClick={() => void cancel()}>
            {isBusy ? waiting : "Cancel offer"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-2 px-5 py-4 text-sm">
        <p>
          <strong className="font-strong">{formatBtc(offer.principal)} BTC</strong> for {offer.collectionName}
          , {offer.term} days
        </p>
        <p className="text-soft">{rankLabel(offer)}</p>
        <p className="text-soft">
          {isInstant
            ? "Your wallet will ask you to sign. The coins stay in your vault, and running loans go on."
            : "It leaves the order book at once. Nothing was locked for it, and running loans go on."}
        </p>
      </div>
    </Modal>
  );
}
