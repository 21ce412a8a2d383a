import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { ProcessType } from "@/shared/api/collection";
import { configQuery, type ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import type { Book } from "@/shared/feed/book-channel";
import { useBook } from "@/shared/feed/use-feed";
import { Modal } from "@/shared/ui/modal";
import { InstantLend } from "./instant-lend";
import { instantTargets } from "./instant-target";
import { lendTargets } from "./lend-target";
import { ManualLend } from "./manual-lend";
import { MultiOffer } from "./multi-offer";
import { OffersCreated } from "./offers-created";

export interface LendDialogProps {
  open: boolean;
  groupId: string;
  /** Taken from the URL when absent. */
  process?: ProcessType;
  /** The initial choice; otherwise the first one that accepts offers. */
  subCollectionId?: string;
  /** An own offer to replace. */
  editOffer?: MyOffer;
  onClose: () => void;
}

/** Creates offers, or edits one. */
export function LendDialog(props: LendDialogProps) {
  // Mounted only while open, so every opening starts from the current market.
  return props.open ? <OpenLendDialog {...props} /> : null;
}

function OpenLendDialog(props: LendDialogProps) {
  const book = useBook(props.groupId);
  const config = useQuery(configQuery);
  const [createdIds, setCreatedIds] = useState<readonly string[] | null>(null);
  if (createdIds !== null && book.data) {
    return <OffersCreated row={book.data.row} offerIds={createdIds} onClose={props.onClose} />;
  }
  if (book.data && config.data) {
    return <LendOfProcess {...props} book={book.data} config={config.data} onCreated={setCreatedIds} />;
  }
  const failure = book.refusal ?? config.error?.message ?? null;
  return (
    <PlainModal
      title={props.editOffer?.collectionName ?? book.data?.row.collectionName}
      onClose={props.onClose}
    >
      {failure ? <p role="alert">{failure}</p> : <p>Fetching</p>}
    </PlainModal>
  );
}

interface LendOfProcessProps extends LendDialogProps {
  book: Book;
  config: ServerConfig;
  onCreated: (offerIds: readonly string[]) => void;
}

function LendOfProcess(props: LendOfProcessProps) {
  const [chosen] = useState(() => openingProcess(props.book, props));
  return chosen === "instant" ? <InstantOfProcess {...props} /> : <ManualOfProcess {...props} />;
}

function InstantOfProcess(props: LendOfProcessProps) {
  const { book, config, editOffer, onClose, onCreated } = props;
  const edited = editOffer ?? null;
  const editedOfferId = edited?.offerId ?? null;
  const targets = useMemo(() => instantTargets(book, config, editedOfferId), [book, config, editedOfferId]);
  const opening = useFirstFound(openingOf(targets, props));
  if (!opening) return <Unavailable book={book} isInstant onClose={onClose} />;
  const { first, isOneOfSeveral } = opening;
  const lend = { book, targets, first, onClose, onCreated };
  // Several terms of an inscription are offered side by side; for tokens each offer has its own amount.
  return edited === null && !first.isRune && isOneOfSeveral ? (
    <MultiOffer {...lend} />
  ) : (
    <InstantLend {...lend} edited={edited} />
  );
}

function ManualOfProcess(props: LendOfProcessProps) {
  const { book, config, editOffer, onClose, onCreated } = props;
  const edited = editOffer ?? null;
  const editedOfferId = edited?.offerId ?? null;
  const targets = useMemo(
    () => lendTargets(book, config, { process: "manual", editedOfferId }),
    [book, config, editedOfferId],
  );
  const opening = useFirstFound(openingOf(targets, props));
  if (!opening) return <Unavailable book={book} isInstant={false} onClose={onClose} />;
  const { first } = opening;
  return <ManualLend {...{ book, targets, first, edited, onClose, onCreated }} />;
}

/** The initial target of the dialog; an edit has no other. */
function openingOf<Target extends { subCollectionId: string }>(
  targets: readonly Target[],
  { subCollectionId, editOffer }: LendDialogProps,
): { first: Target; isOneOfSeveral: boolean } | undefined {
  const subCollectionInUrl = editOffer?.subCollectionId ?? subCollectionId;
  const found = targets.find((target) => target.subCollectionId === subCollectionInUrl);
  const first = found ?? (editOffer ? undefined : targets[0]);
  return first && { first, isOneOfSeveral: targets.length > 1 };
}

/** Keeps the first result, so that a form being filled in stays, whatever the market does meanwhile. */
function useFirstFound<Found>(found: Found | undefined): Found | undefined {
  const [kept, setKept] = useState(found);
  if (kept === undefined && found !== undefined) setKept(found);
  return kept ?? found;
}

/** An edit keeps the process; a new offer has the one of the screen, where it is available. */
function openingProcess(
  { row }: Book,
  { subCollectionId, editOffer, process: initialProcess }: LendDialogProps,
): ProcessType {
  if (editOffer) return editOffer.loanProcessType === "Instant" ? "instant" : "manual";
  const inAddress = new URLSearchParams(location.search).get("process") === "instant" ? "instant" : "manual";
  const requestedProcess = initialProcess ?? inAddress;
  const subCollections = row.subCollections.filter(
    ({ id }) => subCollectionId === undefined || id === subCollectionId,
  );
  if (subCollections.some((sub) => sub[requestedProcess])) return requestedProcess;
  const other = requestedProcess === "instant" ? "manual" : "instant";
  return subCollections.some((sub) => sub[other]) ? other : requestedProcess;
}

const NO_PROCESS_TYPE = {
  ordinal: "No available terms",
  term: "No term sizes available",
  bundle: "No bundle sizes available",
};

function Unavailable({ book, isInstant, onClose }: { book: Book; isInstant: boolean; onClose: () => void }) {
  const { row } = book;
  const kind = row.collateralType === "inscription" ? "ordinal" : isInstant ? "term" : "bundle";
  return (
    <PlainModal title={row.collectionName} onClose={onClose}>
      <p className="text-base text-text">{NO_PROCESS_TYPE[kind]}</p>
      <p>
        Nothing here is worth more than the smallest offer right now, or only{" "}
        {isInstant ? "manual" : "instant"} offers are taken.
      </p>
    </PlainModal>
  );
}

function PlainModal({
  title,
  onClose,
  children,
}: {
  title: string | undefined;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal open onClose={onClose} title={title ?? "Lend"}>
      <div className="flex flex-col items-start gap-3 px-5 py-8 text-sm text-soft">{children}</div>
    </Modal>
  );
}
