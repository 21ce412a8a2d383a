import { BookOpen } from "lucide-react";
import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Button } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Modal } from "@/shared/ui/modal";
import { collectionStats } from "./collection-stats";

export interface CollectionDialogProps {
  row: Collection;
  /** Says whether earning or paying is what the numbers are about. */
  mode: "borrow" | "lend";
  onClose: () => void;
  onBorrow: () => void;
  onLend: () => void;
  onOrders: () => void;
}

/** Everything about one collection that a person weighs before lending or borrowing. */
export function CollectionDialog({ row, mode, onClose, onBorrow, onLend, onOrders }: CollectionDialogProps) {
  const stats = collectionStats(row, mode);
  return (
    <Modal
      open
      onClose={onClose}
      title={
        <span className="flex min-w-0 items-center gap-3">
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
          <span className="truncate">{row.collectionName}</span>
        </span>
      }
      footer={
        <div className="flex justify-end gap-2">
          <Button variant="quiet" className="mr-auto" onClick={onOrders}>
            <BookOpen size={16} aria-hidden />
            Orders
          </Button>
          <Button
            variant={mode === "lend" ? "primary" : "secondary"}
            disabled={!row.isLendingAllowed}
            onClick={onLend}
          >
            Lend
          </Button>
          <Button
            variant={mode === "borrow" ? "primary" : "secondary"}
            disabled={stats.offerCount === 0}
            onClick={onBorrow}
          >
            Borrow
          </Button>
        </div>
      }
    >
      <dl className="grid grid-cols-2 gap-4 px-5 py-4 sm:grid-cols-4">
        <Stat label={row.collateralType === "inscription" ? "Floor" : "Price"}>
          {row.collateralType === "inscription"
            ? row.floor === null
              ? "–"
              : `${formatBtc(row.floor)} ₿`
            : row.unitPrice === null
              ? "–"
              : `${formatUnitPrice(row.unitPrice)} sats`}
        </Stat>
        <Stat label={mode === "lend" ? "Max APY" : "Min Interest"}>
          {stats.ratePercent === null ? "–" : formatPercent(stats.ratePercent)}
        </Stat>
        <Stat label="Term">{stats.term}</Stat>
        <Stat label="LTV">{stats.ltvPercent === null ? "–" : formatPercentFixed(stats.ltvPercent, 2)}</Stat>
      </dl>
    </Modal>
  );
}

function Stat({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="truncate text-base font-strong">{children}</dd>
    </div>
  );
}
