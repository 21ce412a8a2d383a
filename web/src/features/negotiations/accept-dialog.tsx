import { useState } from "react";
import type { Collection } from "@/shared/api/collection";
import { errorText } from "@/shared/api/error-text";
import { LTV_END_BPS } from "@/shared/api/loan-to-value";
import type { Negotiation } from "@/shared/api/negotiation";
import { pledgedRaw } from "@/shared/api/pledge";
import { pledgeText } from "@/shared/collateral/pledge-text";
import { PledgedInscriptions } from "@/shared/collateral/pledged-inscriptions";
import { useMe } from "@/shared/feed/use-feed";
import { daysText } from "@/shared/format/days";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBps } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { useNow } from "@/shared/ui/use-now";
import { ExtensionSums } from "./extension-sums";
import { acceptProposal } from "./negotiation-requests";
import { latestOf, replacedText } from "./negotiation-view";
import { ltvOf } from "./terms-draft";
import { TermsSums } from "./terms-sums";

const TICK_MS = 10_000;

/** The sums of the other side's latest proposal, before it is accepted. */
export function AcceptDialog({
  negotiation,
  row,
  onClose,
}: {
  /** As it was when the dialog was opened. */
  negotiation: Negotiation;
  row: Collection;
  onClose: () => void;
}) {
  const negotiations = useMe().data?.negotiations;
  const now = useNow(TICK_MS);
  const [isBusy, setIsBusy] = useState(false);
  const latest = latestOf(negotiation);
  if (!latest) return null;
  const isLender = negotiation.role === "lender";
  const ltvBps = ltvOf(latest.principalSats, pledgedRaw(negotiation), row);
  const isExtended = negotiation.loanId !== null;
  const problem = replacedText(negotiation, negotiations, now) ?? (isExtended ? null : ltvProblem());

  function ltvProblem(): string | null {
    if (ltvBps === null) return "The price of this collection is not known yet";
    return ltvBps >= LTV_END_BPS ? "The principal must stay below 99% of the collateral's value" : null;
  }

  const acceptLabel = isExtended
    ? `Accept ${daysText(latest.termDays)} at ${formatBps(latest.interestBps)}`
    : `Accept ${formatBtcPaid(latest.principalSats)} BTC`;

  async function accept() {
    if (problem !== null || isBusy) return;
    setIsBusy(true);
    try {
      await acceptProposal(negotiation);
      const signed = isExtended ? "extension" : "loan";
      notify.success(
        "Counter-offer accepted",
        isLender ? `The borrower has 12 hours to sign the ${signed}.` : `Sign the ${signed} within 12 hours.`,
      );
      onClose();
    } catch (reason) {
      notify.error("The counter-offer could not be accepted", errorText(reason));
      setIsBusy(false);
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title="Accept the counter-offer"
      description={`${withoutBundleNumber(row.collectionName)}, ${pledgeText(negotiation, row)}`}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          <Button variant="primary" disabled={problem !== null || isBusy} onClick={() => void accept()}>
            {isBusy ? "Accepting" : acceptLabel}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <PledgedInscriptions row={row} inscriptionIds={negotiation.inscriptionIds} />
        {isExtended ? (
          <ExtensionSums terms={latest} role={negotiation.role} />
        ) : (
          <TermsSums terms={latest} role={negotiation.role} ltvBps={ltvBps} />
        )}
        {problem !== null && (
          <p role="status" className="text-sm text-soft">
            {problem}.
          </p>
        )}
        <p className="text-xs text-muted">
          {consequences(isLender, isExtended)} Not repaid within the term:{" "}
          {isLender ? "you receive" : "the lender receives"} {pledgeText(negotiation, row)}.
        </p>
      </div>
    </Modal>
  );
}

function consequences(isLender: boolean, isExtended: boolean): string {
  const signed = isExtended ? "extension" : "loan";
  return isLender
    ? `Nothing leaves your wallet now. When the borrower has signed the ${signed}, you have 12 hours to counter-sign it.`
    : `Nothing leaves your wallet now. You have 12 hours to sign the ${signed}, and the lender then has 12 hours to counter-sign it.`;
}
