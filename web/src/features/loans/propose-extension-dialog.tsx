import { useState } from "react";
import { Link } from "react-router";
import type { Loan } from "@/shared/api/loan";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { useMarket, useMe } from "@/shared/feed/use-feed";
import { begunAbout } from "@/shared/negotiations/negotiated";
import { buttonClass } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";

/** Proposes the terms of an extension to the other side of a loan, unless the two negotiate it already. */
export function ProposeExtensionDialog({ loan, onClose }: { loan: Loan; onClose: () => void }) {
  const row = useMarket().data?.get(loan.groupId);
  const negotiations = useMe().data?.negotiations;
  const { CounterOfferDialog } = useAppDialogs();
  // As it was when the dialog was opened: the user's own proposal does not replace it.
  const [isBegun] = useState(
    () => begunAbout({ kind: "loan", loan }, negotiations?.values() ?? []) !== undefined,
  );
  if (isBegun) {
    return (
      <Modal open onClose={onClose} title="Propose an extension">
        <EmptyState
          title="You negotiate about this loan"
          action={
            <Link to="/portfolio/pending" className={buttonClass({ size: "small" })}>
              See negotiation
            </Link>
          }
        >
          Accept the latest proposal, answer it, or end the negotiation to begin another one.
        </EmptyState>
      </Modal>
    );
  }
  if (!row) {
    return (
      <Modal open onClose={onClose} title="Propose an extension">
        <p role="status" className="px-5 py-8 text-sm text-soft">
          Fetching
        </p>
      </Modal>
    );
  }
  return <CounterOfferDialog subject={{ kind: "loan", loan }} row={row} onClose={onClose} />;
}
