import type { ReactNode } from "react";
import type { BookOffer } from "@/shared/api/book";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection } from "@/shared/api/collection";
import type { MyOffer } from "@/shared/api/my-offer";
import { useGroup } from "@/shared/feed/use-group";
import { withoutBundleNumber } from "@/shared/format/name";
import { CollectionImage } from "@/shared/ui/collection-image";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { BookPanel } from "./book-panel";
import { BookError, BookLoading } from "./book-placeholder";

export interface OrderBookDialogProps {
  /** Slug of the group whose book is open; null when closed. */
  slug: string | null;
  /** The mode of the page below. */
  mode: "borrow" | "lend";
  /** The offer whose link was opened. */
  linkedOfferId: string | null;
  onClose: () => void;
  onCreateOffer: (groupId: string, subCollectionId: string) => void;
  onEditOffer: (offer: MyOffer) => void;
  /** Called to take another lender's offer. */
  onBorrow: (row: Collection, offer: BookOffer) => void;
  /** Called to fill a borrower's request. */
  onFill: (asked: BorrowRequest) => void;
  /** Called to ask lenders for a loan. */
  onRequest: (groupId: string) => void;
  /** Dialogs that open over this one. */
  children?: ReactNode;
}

/** The order book of a group: its offers and its running loans. */
export function OrderBookDialog({ slug, children, ...rest }: OrderBookDialogProps) {
  if (slug === null) return null;
  return (
    <OpenOrderBook key={`${slug}/${rest.linkedOfferId}`} slug={slug} {...rest}>
      {children}
    </OpenOrderBook>
  );
}

function OpenOrderBook({ slug, onClose, children, ...panel }: OrderBookDialogProps & { slug: string }) {
  const { row, missing } = useGroup(slug);
  return (
    <Modal open onClose={onClose} size="wide" title={row ? <Title row={row} /> : "Order book"}>
      {row ? (
        <BookPanel row={row} {...panel} />
      ) : missing === "unlisted" ? (
        <EmptyState title="This collection is not listed">
          The link may be out of date. Close this to see all collections.
        </EmptyState>
      ) : missing === "refused" ? (
        <BookError channel="market" />
      ) : (
        <BookLoading />
      )}
      {children}
    </Modal>
  );
}

function Title({ row }: { row: Collection }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
      <span className="truncate">{withoutBundleNumber(row.collectionName)}</span>
      <span className="text-sm font-normal text-muted">Order book</span>
    </span>
  );
}
