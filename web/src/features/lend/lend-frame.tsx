import type { ReactNode } from "react";
import type { Book } from "@/shared/feed/book-channel";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBtc, formatBtcPaid } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { OneSourceNote } from "@/shared/price/price-source-note";
import { Button } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Modal } from "@/shared/ui/modal";
import { FooterTotal } from "@/shared/ui/sum-lines";
import type { LendTarget } from "./lend-draft";

/** The modal of every lending form: the collection above, `Cancel` and the one action below. */
export function LendFrame({
  book,
  target,
  busy,
  onClose,
  total = null,
  action,
  children,
}: {
  book: Book;
  /** The shown term or bundle; null while none is selected. */
  target: Pick<LendTarget, "bestOfferSats" | "termDays"> | null;
  busy: boolean;
  onClose: () => void;
  /** The total of the draft. */
  total?: { label: string; sats: bigint } | null;
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
      description={headline(book, target)}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {total && <FooterTotal label={total.label}>{formatBtcPaid(total.sats)} BTC</FooterTotal>}
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          {action}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <OneSourceNote groupId={row.id} />
        {children}
      </div>
    </Modal>
  );
}

function headline({ row }: Book, target: Pick<LendTarget, "bestOfferSats" | "termDays"> | null): string {
  const parts = [];
  if (row.floor !== null) parts.push(`Floor ${formatBtc(row.floor)} BTC`);
  else if (row.unitPrice !== null) parts.push(`Price ${formatUnitPrice(row.unitPrice)} sats`);
  if (target !== null) {
    // The rank below is among the offers of this term, and so is the best offer.
    parts.push(
      target.bestOfferSats === null
        ? `no offers for ${target.termDays} days yet`
        : `best offer for ${target.termDays} days ${formatBtcPaid(target.bestOfferSats)} BTC`,
    );
  }
  return parts.join(", ");
}
