import { Tabs } from "@base-ui/react/tabs";
import { BookOpen, ExternalLink, Share2, Star } from "lucide-react";
import type { ReactNode } from "react";
import type { Collection, ProcessType } from "@/shared/api/collection";
import { useFavourites } from "@/shared/favourites/favourites-store";
import { useTaker } from "@/shared/feed/use-feed";
import { formatPercent } from "@/shared/format/percent";
import { OneSourceNote } from "@/shared/price/price-source-note";
import { shareLink } from "@/shared/share/share-link";
import { Badge } from "@/shared/ui/badge";
import { Button, IconButton } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";
import { Modal } from "@/shared/ui/modal";
import { RefusableButton } from "@/shared/ui/refusable-button";
import { CollectionFigures } from "./collection-figures";
import { type CollectionStats, collectionStats } from "./collection-stats";
import { PriceHistoryPanel } from "./price-history-panel";
import { VolumeTable } from "./volume-table";

export interface CollectionDialogProps {
  row: Collection;
  /** Whether the figures are about earning or paying. */
  mode: "borrow" | "lend";
  /** The process type of the figures. */
  process: ProcessType;
  onClose: () => void;
  onBorrow: () => void;
  onLend: () => void;
  onOrders: () => void;
}

/** The details of one collection, for a decision to lend or borrow. */
export function CollectionDialog({ row, mode, process, onClose, ...actions }: CollectionDialogProps) {
  const stats = collectionStats(row, mode, process, useTaker());
  return (
    <Modal
      open
      onClose={onClose}
      title={
        <span className="flex min-w-0 items-center gap-3">
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} />
          <span className="truncate" title={row.collectionName}>
            {row.collectionName}
          </span>
        </span>
      }
      headerActions={<HeaderActions row={row} mode={mode} />}
      footer={<Actions row={row} mode={mode} stats={stats} {...actions} />}
    >
      <div className="flex flex-col gap-4 px-5 pt-4 pb-5">
        <CollectionFigures row={row} mode={mode} stats={stats} />
        <OneSourceNote groupId={row.id} />
        <div className="flex h-6 items-center gap-2 text-sm whitespace-nowrap sm:gap-3">
          <span className="text-muted">
            Total loans <span className="text-text">{row.totalLoans}</span>
          </span>
          {row.pointsMultiplier > 0 && (
            <Badge title="Extra points for loans in this collection">
              +{formatPercent(row.pointsMultiplier)} points
            </Badge>
          )}
          {row.externalCollectionLink && (
            <a
              href={row.externalCollectionLink}
              target="_blank"
              rel="noopener noreferrer"
              className="ml-auto inline-flex h-6 items-center gap-1.5 rounded-[4px] text-soft underline decoration-line-strong underline-offset-4 hover:text-text"
            >
              View Collection
              <ExternalLink size={14} aria-hidden />
            </a>
          )}
        </div>
        <Tabs.Root defaultValue="price" className="flex flex-col gap-4">
          <Tabs.List className="flex gap-5 border-b border-line">
            <DetailTab value="price">Price history</DetailTab>
            <DetailTab value="volume">Volume</DetailTab>
          </Tabs.List>
          {/* Both as high as the higher one, so that the dialog does not change its height between them. */}
          <Tabs.Panel value="price" className="h-68 outline-none" tabIndex={-1}>
            <PriceHistoryPanel row={row} />
          </Tabs.Panel>
          <Tabs.Panel value="volume" className="h-68 outline-none" tabIndex={-1}>
            <VolumeTable row={row} />
          </Tabs.Panel>
        </Tabs.Root>
      </div>
    </Modal>
  );
}

function DetailTab({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Tab
      value={value}
      className="flex h-10 items-center border-b-2 border-transparent text-sm text-muted -outline-offset-2 data-active:border-text data-active:text-text"
    >
      {children}
    </Tabs.Tab>
  );
}

function HeaderActions({ row, mode }: Pick<CollectionDialogProps, "row" | "mode">) {
  const starred = useFavourites((state) => state.ids.has(row.id));
  const toggle = useFavourites((state) => state.toggle);
  return (
    <>
      <IconButton
        label="Share"
        onClick={() => void copyToClipboard(shareLink(row, mode, location.origin), "link")}
      >
        <Share2 size={18} aria-hidden />
      </IconButton>
      <IconButton
        label="Favorite"
        aria-pressed={starred}
        onClick={() => toggle(row.id)}
        className={starred ? "text-text!" : undefined}
      >
        <Star size={18} aria-hidden fill={starred ? "currentColor" : "none"} />
      </IconButton>
    </>
  );
}

/** The buttons. Borrowing needs an offer to take; lending needs a collection that accepts offers. */
function Actions({
  row,
  mode,
  stats: { offerCount, bestSats },
  onBorrow,
  onLend,
  onOrders,
}: Pick<CollectionDialogProps, "row" | "mode" | "onBorrow" | "onLend" | "onOrders"> & {
  stats: CollectionStats;
}) {
  return (
    <div className="flex gap-2">
      <Button variant="quiet" className="mr-auto px-3!" onClick={onOrders}>
        <BookOpen size={16} aria-hidden />
        Orders
        <span className="font-normal text-muted">{offerCount}</span>
      </Button>
      <RefusableButton
        variant={mode === "lend" ? "primary" : "secondary"}
        refusal={row.isLendingAllowed ? null : "New offers are not taken here"}
        onClick={onLend}
      >
        Lend
      </RefusableButton>
      <RefusableButton
        variant={mode === "borrow" ? "primary" : "secondary"}
        refusal={offerCount === 0 && bestSats === null ? "No offers to borrow from yet" : null}
        onClick={onBorrow}
      >
        Borrow
      </RefusableButton>
    </div>
  );
}
