import { useState } from "react";
import type { ProcessType } from "@/shared/api/collection";
import type { Book } from "@/shared/feed/book-channel";
import { useBook } from "@/shared/feed/use-feed";
import { Modal } from "@/shared/ui/modal";
import { Segmented } from "@/shared/ui/segmented";
import { type Brc20Slot, OfferBorrow } from "./offer-borrow";
import { RuneBorrow } from "./rune-borrow";

export interface BorrowDialogProps {
  groupId: string;
  /** Shown first; the other process where this one has no offers. */
  process: ProcessType;
  /** The offer chosen in the order book. */
  offerId?: string;
  /** The inscription to pledge, of a link of another site. */
  inscriptionId?: string;
  /** The panel that pledges BRC-20. */
  brc20Panel: Brc20Slot;
  onClose: () => void;
}

const PROCESSES = [
  { value: "manual", label: "Manual" },
  { value: "instant", label: "Instant" },
] as const;

/**
 * Borrows against a collection: at once from a lender's vault, or by an offer that its lender counter-signs.
 */
export function BorrowDialog(props: BorrowDialogProps) {
  const book = useBook(props.groupId);
  if (book.data) return <BorrowByBook {...props} book={book.data} />;
  return (
    <Modal open onClose={props.onClose} title="Borrow">
      <p role={book.refusal ? "alert" : "status"} className="h-72 px-5 py-14 text-center text-sm text-muted">
        {book.refusal ?? "Fetching offers..."}
      </p>
    </Modal>
  );
}

function BorrowByBook(props: BorrowDialogProps & { book: Book }) {
  const { book, process: requested, offerId, inscriptionId, brc20Panel, onClose } = props;
  const { row } = book;
  // Chosen when the book arrives, and afterwards only by the user: offers come and go, the last one perhaps
  // by this very loan, and the form must not be replaced while it is filled in or signed.
  const [process, setProcess] = useState<ProcessType>(() => firstProcess(book, requested, offerId));
  const processSwitch =
    offerId === undefined && row.instant !== null && row.manual !== null ? (
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
      book={book}
      process={process}
      offerId={offerId ?? null}
      linkedId={inscriptionId ?? null}
      processSwitch={processSwitch}
      brc20Panel={brc20Panel}
      onClose={onClose}
    />
  );
}

function firstProcess(
  { row, offers }: Book,
  requested: ProcessType,
  offerId: string | undefined,
): ProcessType {
  if (offerId !== undefined) return offers.get(offerId)?.process ?? requested;
  const other = requested === "manual" ? "instant" : "manual";
  if (row[requested] === null && row[other] !== null) return other;
  const hasOffers = (process: ProcessType) => (row[process]?.offerCount ?? 0) > 0;
  return hasOffers(requested) || !hasOffers(other) ? requested : other;
}
