import { useState } from "react";
import type { ProcessType } from "@/shared/api/collection";
import { useBook } from "@/shared/feed/use-feed";
import { Modal } from "@/shared/ui/modal";
import { Segmented } from "@/shared/ui/segmented";
import { type Brc20Slot, OfferBorrow } from "./offer-borrow";
import { RuneBorrow } from "./rune-borrow";

export interface BorrowDialogProps {
  groupId: string;
  /** What is shown first; the other process where this one has no offers. */
  process: ProcessType;
  /** The offer chosen in the order book. */
  offerId?: string;
  /** Stands where BRC-20 is pledged. */
  brc20Panel: Brc20Slot;
  onClose: () => void;
}

const PROCESSES = [
  { value: "manual", label: "Manual" },
  { value: "instant", label: "Instant" },
] as const;

/** Borrows against a collection: at once out of a lender's vault, or by an offer that its lender counter-signs. */
export function BorrowDialog({ groupId, process: asked, offerId, brc20Panel, onClose }: BorrowDialogProps) {
  const book = useBook(groupId);
  const [chosen, setProcess] = useState<ProcessType | null>(null);
  if (!book.data) {
    return (
      <Modal open onClose={onClose} title="Borrow">
        <p
          role={book.refusal ? "alert" : "status"}
          className="h-72 px-5 py-14 text-center text-sm text-muted"
        >
          {book.refusal ?? "Fetching offers..."}
        </p>
      </Modal>
    );
  }
  const { row } = book.data;
  const other = asked === "manual" ? "instant" : "manual";
  const hasOffers = (process: ProcessType) => (row[process]?.offerCount ?? 0) > 0;
  const pinned = offerId === undefined ? null : (book.data.offers.get(offerId)?.process ?? asked);
  const process = pinned ?? chosen ?? (hasOffers(asked) || !hasOffers(other) ? asked : other);
  const processSwitch =
    pinned === null && row.instant !== null && row.manual !== null ? (
      <Segmented
        label="How the loan starts"
        value={process}
        choices={PROCESSES}
        onChange={setProcess}
        className="w-full"
      />
    ) : null;
  if (process === "instant" && row.collateralType === "rune") {
    return <RuneBorrow row={row} offerId={offerId ?? null} processSwitch={processSwitch} onClose={onClose} />;
  }
  return (
    <OfferBorrow
      key={process}
      book={book.data}
      process={process}
      offerId={offerId ?? null}
      processSwitch={processSwitch}
      brc20Panel={brc20Panel}
      onClose={onClose}
    />
  );
}
