import type { ReactNode } from "react";
import type { Book } from "@/shared/feed/book-channel";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Button } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Modal } from "@/shared/ui/modal";

/** The modal of every way to lend: the collection above, the way out and the one act below. */
export function LendFrame({
  book,
  bestOfferSats,
  busy,
  onClose,
  action,
  children,
}: {
  book: Book;
  bestOfferSats: bigint | null;
  busy: boolean;
  onClose: () => void;
  /** The primary button. */
  action: ReactNode;
  children: ReactNode;
}) {
  const { row } = book;
  return (
    <Modal
      open
      onClose={onClose}
      busy={busy}
      title={
        <span className="flex items-center gap-3">
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
          <span className="truncate">{withoutBundleNumber(row.collectionName)}</span>
        </span>
      }
      description={headline(book, bestOfferSats)}
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          {action}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">{children}</div>
    </Modal>
  );
}

function headline({ row }: Book, bestOffer: bigint | null): string {
  const parts = [];
  if (row.floor !== null) parts.push(`Floor ${formatBtc(row.floor)} BTC`);
  else if (row.unitPrice !== null) parts.push(`Price ${formatUnitPrice(row.unitPrice)} sats`);
  parts.push(bestOffer === null ? "no offers yet" : `best offer ${formatBtc(bestOffer)} BTC`);
  return parts.join(", ");
}
