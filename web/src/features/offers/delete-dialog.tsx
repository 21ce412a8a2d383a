import { Collapsible } from "@base-ui/react/collapsible";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { deleteOffers } from "./deletion";

const COLLATERAL = { inscription: "Ordinal", rune: "Rune", brc20: "BRC-20" } as const;

/** Asks before several offers are taken back at once, and names every one of them. */
export function DeleteDialog({
  offers,
  onDeleted,
  onClose,
}: {
  offers: MyOffer[];
  onDeleted: (offerIds: string[]) => void;
  onClose: () => void;
}) {
  const session = useSession((state) => state.session);
  const config = useQuery(configQuery);
  const [isBusy, setIsBusy] = useState(false);
  const instant = offers.filter(({ loanProcessType }) => loanProcessType === "Instant");
  const manual = offers.filter(({ loanProcessType }) => loanProcessType === "Manual");

  async function confirm() {
    setIsBusy(true);
    const gone = await deleteOffers(offers, session, config.data);
    setIsBusy(false);
    onDeleted(gone);
    if (gone.length > 0) onClose();
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Delete Selected Offers?"
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="danger" disabled={isBusy || offers.length === 0} onClick={() => void confirm()}>
            {isBusy ? "Cancelling..." : "Delete Offers"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-2 px-5 py-4">
        <OfferGroup title="Instant Offers" offers={instant} />
        <OfferGroup title="Manual Offers" offers={manual} />
        <p className="pt-2 text-xs text-muted">
          {instant.length > 0
            ? "Your wallet will ask you to sign for the instant ones. Running loans go on."
            : "Running loans go on."}
        </p>
      </div>
    </Modal>
  );
}

function OfferGroup({ title, offers }: { title: string; offers: MyOffer[] }) {
  if (offers.length === 0) return null;
  return (
    <Collapsible.Root defaultOpen className="rounded-card border border-line">
      <Collapsible.Trigger className="group flex h-11 w-full items-center gap-2 rounded-card px-3 text-left text-sm font-strong">
        <ChevronRight
          size={16}
          aria-hidden
          className="text-muted transition-transform group-data-panel-open:rotate-90"
        />
        <span className="flex-1">{title}</span>
        <Badge>{offers.length}</Badge>
      </Collapsible.Trigger>
      <Collapsible.Panel>
        <ul className="max-h-60 overflow-y-auto border-t border-line py-1">
          {offers.map((offer) => (
            <li key={offer.offerId} className="flex h-9 items-center gap-3 px-3 text-sm">
              <span className="min-w-0 flex-1 truncate">{offer.collectionName}</span>
              <span className="text-muted">{offer.term} days</span>
              <Badge>{COLLATERAL[offer.collateralType]}</Badge>
            </li>
          ))}
        </ul>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}
