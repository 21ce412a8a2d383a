import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TermChange } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { feed } from "@/shared/feed/feed";
import { refreshLists } from "@/shared/feed/refresh-lists";
import { formatDayMonth } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { acceptTerms } from "./terms-acceptance";

interface AcceptTermsDialogProps {
  offer: MyOffer;
  change: TermChange;
  onClose: () => void;
}

/** Shows a change of terms and its date, and takes the lender's agreement. */
export function AcceptTermsDialog({ offer, change, onClose }: AcceptTermsDialogProps) {
  const session = useSession((state) => state.session);
  const queries = useQueryClient();
  const [isAccepted, setIsAccepted] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const day = formatDayMonth(change.changeDate);

  async function accept() {
    if (!session) {
      notify.error("Please sign in");
      return;
    }
    setIsBusy(true);
    try {
      await acceptTerms(offer, change.newTermId, session);
      notify.success("Successfully accepted new terms");
      // Every list may show the offer, its terms or its effect on a book.
      void refreshLists(feed, queries);
      onClose();
    } catch (error) {
      if (error instanceof SignatureCancelled) notify.warning(error.message);
      else notify.error("Failed to accept new terms", error instanceof Error ? error.message : undefined);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Accept new terms"
      description={offer.collectionName}
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="primary" disabled={isBusy || !isAccepted} onClick={() => void accept()}>
            {isBusy ? "Please sign with wallet..." : "Accept terms"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4 text-sm">
        <p>
          {change.hasTermChangePassed
            ? `The terms changed on ${day}. The offer is paused until you accept them.`
            : `The terms change on ${day}. Unless you accept them before, the offer will be paused on that day.`}
        </p>
        <TermComparison change={change} />
        <CheckBox checked={isAccepted} onChange={setIsAccepted} disabled={isBusy}>
          Lend at the new terms from {day} on
        </CheckBox>
        <p className="text-xs text-muted">
          Your wallet will ask you to sign. Running loans keep their terms.
        </p>
      </div>
    </Modal>
  );
}

function TermComparison({ change }: { change: TermChange }) {
  const rows = [
    ["Term", `${change.previousDays} days`, `${change.newDays} days`],
    ["Interest", formatPercent(change.previousInterestRate), formatPercent(change.newInterestRate)],
  ];
  return (
    <table className="w-full rounded-card border border-line bg-ground text-sm">
      <caption className="sr-only">The current and the new terms</caption>
      <thead>
        <tr className="text-xs text-muted">
          <td />
          <th scope="col" className="px-4 pt-3 pb-1 text-right font-normal">
            Current
          </th>
          <th scope="col" className="px-4 pt-3 pb-1 text-right font-normal">
            New
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, before, next]) => (
          <tr key={label} className="last:[&>*]:pb-3">
            <th scope="row" className="px-4 py-1 text-left font-normal text-soft">
              {label}
            </th>
            <td className="px-4 py-1 text-right text-soft">{before}</td>
            <td className="px-4 py-1 text-right">{next}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
