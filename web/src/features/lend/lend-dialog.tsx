import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useMemo, useReducer, useState } from "react";
import { ConnectButton } from "@/features/wallet/connect-button";
import { configQuery } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import type { Book } from "@/shared/feed/book-channel";
import { useBook } from "@/shared/feed/use-feed";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { LendBreakdown } from "./lend-breakdown";
import { editDraft, type LendTarget, newDraft, reducer } from "./lend-draft";
import { getErrors } from "./lend-errors";
import { LendForm } from "./lend-form";
import { createOffers, editOffer } from "./lend-submission";
import { calculateSummary } from "./lend-summary";
import { draftCollateral, draftRank, lendTargets } from "./lend-target";
import { useSubmissionKey } from "./use-submission-key";

export interface LendDialogProps {
  open: boolean;
  groupId: string;
  /** Chosen at first; the first one that takes offers otherwise. */
  subCollectionId?: string;
  /** A manual offer of one's own that is to be replaced. */
  editOffer?: MyOffer;
  onClose: () => void;
}

/** Makes a manual offer, or changes one. */
export function LendDialog(props: LendDialogProps) {
  // Mounted only while open, so every opening starts from the market of that moment.
  return props.open ? <OpenLendDialog {...props} /> : null;
}

function OpenLendDialog({ groupId, subCollectionId, editOffer: edited, onClose }: LendDialogProps) {
  const book = useBook(groupId);
  const config = useQuery(configQuery);
  const editedOfferId = edited?.offerId ?? null;
  const targets = useMemo(
    () => (book.data && config.data ? lendTargets(book.data, config.data, editedOfferId) : null),
    [book.data, config.data, editedOfferId],
  );
  const first =
    targets?.find((target) => target.subCollectionId === (edited?.subCollectionId ?? subCollectionId)) ??
    (edited ? undefined : targets?.[0]);

  if (book.data && targets && first) {
    return (
      <LendSteps book={book.data} targets={targets} first={first} edited={edited ?? null} onClose={onClose} />
    );
  }
  const failure = book.refusal ?? config.error?.message ?? null;
  return (
    <Modal open onClose={onClose} title={edited?.collectionName ?? book.data?.row.collectionName ?? "Lend"}>
      <div className="flex flex-col items-start gap-3 px-5 py-8 text-sm text-soft">
        {targets ? (
          <Unavailable book={book.data} />
        ) : failure ? (
          <p role="alert">{failure}</p>
        ) : (
          <p>Fetching</p>
        )}
      </div>
    </Modal>
  );
}

function Unavailable({ book }: { book: Book | null }) {
  const isBundled = book !== null && book.row.collateralType !== "inscription";
  return (
    <>
      <p className="text-base text-text">{isBundled ? "No bundle sizes available" : "No available terms"}</p>
      <p>Nothing here is worth more than the smallest offer right now, or only instant offers are taken.</p>
    </>
  );
}

interface LendStepsProps {
  book: Book;
  targets: LendTarget[];
  first: LendTarget;
  edited: MyOffer | null;
  onClose: () => void;
}

function LendSteps({ book, targets, first, edited, onClose }: LendStepsProps) {
  const session = useSession((state) => state.session);
  const [draft, dispatch] = useReducer(reducer, first, (target) =>
    edited ? editDraft(target, edited.principal) : newDraft(target),
  );
  const [isBusy, setIsBusy] = useState(false);
  const submission = useSubmissionKey();
  const formId = useId();
  const editedOfferId = edited?.offerId ?? null;

  const current = targets.find((target) => target.subCollectionId === draft.target.subCollectionId);
  useEffect(() => {
    if (current) dispatch({ type: "marketMoved", target: current });
  }, [current]);

  // A manual offer is funded from the lender's own wallet when it is accepted, and no balance of that is known here.
  const errors = getErrors(draft, null);
  const summary = calculateSummary(draft);
  const isUnchanged = edited !== null && edited.principal === summary.principalSats;
  const canSubmit = summary.principalSats > 0n && errors.length === 0 && !isUnchanged && !isBusy;

  async function submit() {
    if (!session || !canSubmit) return;
    setIsBusy(true);
    const what = `${editedOfferId}/${draft.target.collectionSlug}/${summary.principalSats}/${draft.count}`;
    const key = submission.keyFor(what);
    const outcome = edited
      ? await editOffer(edited.offerId, draft, key)
      : await createOffers(draft, session, key);
    setIsBusy(false);
    if (outcome.isAnswered) submission.done();
    if (outcome.isDone) {
      notify.success(outcome.title);
      onClose();
    } else {
      notify.error(outcome.title, outcome.detail);
    }
  }

  const { row } = book;
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={
        <span className="flex items-center gap-3">
          <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
          <span className="truncate">{withoutBundleNumber(row.collectionName)}</span>
        </span>
      }
      description={headline(row.floor, draft.target.bestOfferSats)}
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Cancel
          </Button>
          {session ? (
            <Button variant="primary" type="submit" form={formId} disabled={!canSubmit}>
              {isBusy ? "Loading..." : submitLabel(edited !== null, draft.count)}
            </Button>
          ) : (
            <ConnectButton />
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <LendForm
          id={formId}
          book={book}
          targets={targets}
          draft={draft}
          dispatch={dispatch}
          errors={errors}
          editedOfferId={editedOfferId}
          disabled={isBusy}
          onSubmit={() => void submit()}
        />
        <LendBreakdown
          summary={summary}
          count={draft.count}
          rank={errors.length > 0 ? null : draftRank(book, draft, editedOfferId)}
          collateral={draftCollateral(row, draft)}
        />
        <p className="text-xs text-muted">
          Nothing leaves your wallet now. When a borrower accepts, you have 12 hours to counter-sign.
        </p>
      </div>
    </Modal>
  );
}

function submitLabel(isEdit: boolean, count: number): string {
  if (isEdit) return "Edit Offer";
  return count > 1 ? `Create ${count} Offers` : "Create Offer";
}

function headline(floor: bigint | null, bestOffer: bigint | null): string {
  const parts = [];
  if (floor !== null) parts.push(`Floor ${formatBtc(floor)} BTC`);
  parts.push(bestOffer === null ? "no offers yet" : `best offer ${formatBtc(bestOffer)} BTC`);
  return parts.join(", ");
}
