import { useState } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { useSession } from "@/shared/session/session-store";
import { SigningProgress } from "@/shared/signing/signing-progress";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import type { NamedStep } from "@/shared/ui/step-list";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import {
  calculateSummary,
  type Deletion,
  type DeletionResult,
  type DeletionStep,
  deleteOffers,
  isInstant,
} from "./deletion";
import { OfferGroup } from "./offer-group";

const ESTIMATE_S = { instant: 12, manual: 2 };

/**
 * Asks for confirmation before several offers are cancelled, lists every one of them, and reports the result
 * of each.
 */
export function DeleteDialog({
  offers,
  areAll = false,
  onDeleted,
  onClose,
}: {
  offers: MyOffer[];
  /** Whether they are all offers of the user. */
  areAll?: boolean;
  onDeleted: (offerIds: string[]) => void;
  onClose: () => void;
}) {
  const session = useSession((state) => state.session);
  const config = useLenderConfig();
  const [deletion, setDeletion] = useState<Deletion | null>(null);
  const isBusy = deletion?.phase === "running";
  const shown = deletion?.offers ?? offers;

  async function run(chosen: readonly MyOffer[], areAllChosen: boolean) {
    if (!session) {
      notify.error("Please sign in");
      return;
    }
    const ended = await deleteOffers(chosen, session, config, setDeletion, areAllChosen);
    const { deleted, kept } = calculateSummary(ended);
    onDeleted(deleted);
    if (ended.isCancelled) {
      notify.warning("Signature request was cancelled");
      setDeletion(null);
      return;
    }
    notifyResult(ended);
    if (kept.length === 0) onClose();
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={
        deletion?.phase === "ended"
          ? endedTitle(deletion)
          : areAll
            ? "Cancel All Offers?"
            : "Delete Selected Offers?"
      }
      footer={
        <DeleteFooter
          deletion={deletion}
          count={offers.length}
          onDelete={() => void run(offers, areAll)}
          onRetry={(kept) => void run(kept, false)}
          onClose={onClose}
        />
      }
    >
      <div className="flex flex-col gap-3 px-5 py-4">
        {isBusy && <Progress deletion={deletion} />}
        {deletion?.phase === "ended" && <Outcome deletion={deletion} />}
        {deletion === null && areAll && shown.some(isInstant) && (
          <p className="text-sm text-soft">
            One signature ends all instant offers, also those for which a borrower is about to sign.
          </p>
        )}
        <OfferGroup title="Instant Offers" offers={shown.filter(isInstant)} results={deletion?.results} />
        <OfferGroup
          title="Manual Offers"
          offers={shown.filter((offer) => !isInstant(offer))}
          results={deletion?.results}
        />
        {!deletion && (
          <p className="text-xs text-muted">
            {offers.some(isInstant)
              ? "Your wallet will ask you to sign once for all the instant ones. The coins stay in your vault, and running loans go on."
              : "They leave the order book at once. Nothing was locked for them, and running loans go on."}
          </p>
        )}
      </div>
    </Modal>
  );
}

/** Reports the failures, and the number of cancelled offers. */
function notifyResult(deletion: Deletion): void {
  const { deleted } = calculateSummary(deletion);
  for (const { title, detail } of deletion.failures) notify.error(title, detail);
  if (deletion.failures.length === 0) {
    const refused = deletion.offers.filter(({ offerId }) => deletion.results.get(offerId)?.state === "kept");
    const [first] = refused;
    if (first) {
      const title = isInstant(first) ? "Failed to cancel offer" : "Failed to delete manual offers";
      notify.error(title, failureReason(deletion.results.get(first.offerId)));
    }
  }
  if (deleted.length > 0) notify.success(`Successfully deleted ${deleted.length} offer(s)`);
}

function failureReason(result: DeletionResult | undefined): string | undefined {
  return result?.state === "kept" ? result.reason : undefined;
}

function endedTitle(deletion: Deletion): string {
  const { deleted } = calculateSummary(deletion);
  return deleted.length === 0
    ? "No offer was deleted"
    : `${deleted.length} of ${deletion.offers.length} offers deleted`;
}

function DeleteFooter({
  deletion,
  count,
  onDelete,
  onRetry,
  onClose,
}: {
  deletion: Deletion | null;
  count: number;
  onDelete: () => void;
  onRetry: (kept: MyOffer[]) => void;
  onClose: () => void;
}) {
  if (deletion?.phase === "ended") {
    const { kept } = calculateSummary(deletion);
    return (
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Close</Button>
        {kept.length > 0 && (
          <Button variant="danger" onClick={() => onRetry(kept)}>
            Try {kept.length === 1 ? "it" : `${kept.length} offers`} again
          </Button>
        )}
      </div>
    );
  }
  const isBusy = deletion !== null;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose} disabled={isBusy}>
        Cancel
      </Button>
      <Button variant="danger" disabled={isBusy || count === 0} onClick={onDelete}>
        {deletion === null
          ? "Delete Offers"
          : deletion.step === "signing"
            ? "Please sign with wallet..."
            : "Cancelling..."}
      </Button>
    </div>
  );
}

function Progress({ deletion }: { deletion: Deletion }) {
  const instant = deletion.offers.filter(isInstant).length;
  const manual = deletion.offers.length - instant;
  const steps: Array<NamedStep<DeletionStep>> = [];
  if (instant > 0) {
    steps.push(
      { id: "nonce", label: "Fetching nonce" },
      { id: "signing", label: "Please sign with wallet..." },
      { id: "instant", label: `Cancelling ${offerCountText(instant, "instant")}` },
    );
  }
  if (manual > 0) steps.push({ id: "manual", label: `Deleting ${offerCountText(manual, "manual")}` });
  return (
    <SigningProgress
      steps={steps}
      current={deletion.step}
      estimateS={instant > 0 ? ESTIMATE_S.instant : ESTIMATE_S.manual}
    />
  );
}

function offerCountText(count: number, kind: string): string {
  return `${count} ${kind} ${count === 1 ? "offer" : "offers"}`;
}

/** The result when not every offer could be cancelled. */
function Outcome({ deletion }: { deletion: Deletion }) {
  const { deleted, kept } = calculateSummary(deletion);
  return (
    <div role="alert" className="rounded-control bg-warn-tint px-3 py-2 text-sm">
      <p className="text-warn">
        {kept.length === 1 ? "1 offer is still in place" : `${kept.length} offers are still in place`}
      </p>
      <p className="text-soft">
        {deleted.length > 0 ? "The others are deleted. " : ""}The reason is below each. Nothing else has
        changed, and you can try again at any time.
      </p>
    </div>
  );
}
