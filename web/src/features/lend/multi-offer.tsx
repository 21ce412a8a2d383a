import { useEffect, useId, useMemo, useReducer, useState } from "react";
import type { Book } from "@/shared/feed/book-channel";
import { priceName } from "@/shared/price/peg-text";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { notify } from "@/shared/ui/notify";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import { useVault } from "@/shared/vault/use-vault";
import { useVerification } from "@/shared/verification/use-verification";
import {
  type InstantAction,
  type InstantDraft,
  type InstantTarget,
  newInstantDraft,
  reducer,
} from "./instant-draft";
import { getErrors } from "./instant-errors";
import { InstantFields } from "./instant-fields";
import { LendBreakdown } from "./lend-breakdown";
import { LendForm } from "./lend-form";
import { LendFrame } from "./lend-frame";
import { draftOf, selectionReducer } from "./lend-selection";
import { calculateSummary as calculateLend, footerTotal } from "./lend-summary";
import { draftCollateral, draftRank, labelOf } from "./lend-target";
import { MultiProgress } from "./multi-progress";
import { createdIds } from "./multi-submission";
import { calculateSummary, plannedOffers } from "./multi-summary";
import { SelectedOffers } from "./selected-offers";
import { SubCollectionChips } from "./sub-collection-chips";
import { useMultiSubmission } from "./use-multi-submission";
import { VaultGate, VaultNotice } from "./vault-gate";

const reduce = selectionReducer<InstantTarget, InstantDraft, InstantAction>({
  start: newInstantDraft,
  reduce: reducer,
  move: (draft, target) => reducer(draft, { type: "marketMoved", target }),
});

/** The slider of this dialog moves by tenths of a percent. */
const withFineStep = (target: InstantTarget): InstantTarget => ({ ...target, ltvStep: 0.1 });

/** Creates instant offers for one term or, in advanced mode, for several at once and several of each. */
export function MultiOffer({
  book,
  targets: coarse,
  first,
  onClose,
  onCreated,
}: {
  book: Book;
  targets: InstantTarget[];
  first: InstantTarget;
  onClose: () => void;
  onCreated: (offerIds: readonly string[]) => void;
}) {
  const session = useSession((state) => state.session);
  const config = useLenderConfig();
  const vault = useVault();
  const targets = useMemo(() => coarse.map(withFineStep), [coarse]);
  const [isAdvanced, setIsAdvanced] = useState(false);
  const [isProgressOpen, setIsProgressOpen] = useState(false);
  const [selection, dispatch] = useReducer(reduce, first, (target) => ({
    drafts: [newInstantDraft(withFineStep(target))],
    activeId: target.subCollectionId,
  }));
  const { verify, dialog } = useVerification();
  const { row } = book;
  const address = vault.status === "open" ? vault.address : null;
  const lender =
    session && config ? { session, config, vaultAddress: address, collectionName: row.collectionName } : null;
  const { submission, start, goOn, skip } = useMultiSubmission(lender, verify);
  const formId = useId();

  useEffect(() => dispatch({ type: "marketMoved", targets }), [targets]);

  const usableSats = vault.status === "open" ? vault.usableSats : null;
  const { drafts, activeId } = selection;
  const active = draftOf(selection, activeId);
  const errors = active ? getErrors(active, usableSats) : [];
  const summary = calculateSummary(drafts, usableSats);
  const isRunning = submission?.phase === "running";
  const isStopped = submission?.phase === "stopped";
  const canSubmit = !summary.hasError && !summary.hasNoOffers && !isRunning && address !== null;
  const isLocked = isRunning || isStopped;

  function submit() {
    if (!lender || address === null) {
      notify.error("Please connect your wallet and create a vault");
      return;
    }
    const planned = plannedOffers(drafts, (id) => labelOf(row, id));
    if ("problem" in planned) {
      notify.error(planned.problem);
      return;
    }
    setIsProgressOpen(true);
    start(planned.offers);
  }

  function resume() {
    setIsProgressOpen(true);
    goOn();
  }

  function leaveProgress() {
    setIsProgressOpen(false);
    if (submission?.phase !== "finished") return;
    const offerIds = createdIds(submission);
    if (offerIds.length > 0) onCreated(offerIds);
  }

  function setAdvanced(next: boolean) {
    setIsAdvanced(next);
    if (next || !active) return;
    dispatch({ type: "onlyChosen", target: active.target });
    dispatch({ type: "changed", action: { type: "offer", action: { type: "countSet", count: 1 } } });
  }

  const selector = (
    <>
      <CheckBox checked={isAdvanced} disabled={isLocked} onChange={setAdvanced}>
        Advanced: several terms, several offers
      </CheckBox>
      <SubCollectionChips
        label="Term"
        row={row}
        targets={targets}
        selectedIds={drafts.map(({ target }) => target.subCollectionId)}
        activeId={activeId}
        disabled={isLocked}
        onChoose={(target) => dispatch({ type: isAdvanced ? "chosen" : "onlyChosen", target })}
      />
    </>
  );
  return (
    <LendFrame
      book={book}
      target={active?.target ?? null}
      total={
        active &&
        footerTotal(calculateLend(active.offer), { count: summary.totalOffers, totalSats: summary.totalSats })
      }
      busy={isRunning}
      onClose={onClose}
      action={
        <VaultGate vault={vault} isEdit={false}>
          {isStopped ? (
            <Button variant="primary" onClick={resume}>
              Continue with Remaining
            </Button>
          ) : (
            <Button variant="primary" type="submit" form={formId} disabled={!canSubmit}>
              {isRunning ? "Loading..." : submitLabel(summary.totalOffers)}
            </Button>
          )}
        </VaultGate>
      }
    >
      <VaultNotice vault={vault} />
      {active ? (
        <LendForm
          id={formId}
          selector={selector}
          draft={active.offer}
          collateralType={row.collateralType}
          dispatch={(action) => dispatch({ type: "changed", action: { type: "offer", action } })}
          errors={errors.filter(({ field }) => field === "amount").map(({ text }) => text)}
          hasCount={isAdvanced}
          disabled={isLocked}
          onSubmit={() => canSubmit && submit()}
        >
          <InstantFields
            row={row}
            draft={active}
            errors={errors}
            dispatch={(action) => dispatch({ type: "changed", action })}
            disabled={isLocked}
          />
        </LendForm>
      ) : (
        <>
          {selector}
          <p className="text-sm text-muted">No valid offers to submit. Choose a term to lend for.</p>
        </>
      )}
      {isAdvanced && drafts.length > 0 && (
        <SelectedOffers
          row={row}
          offers={drafts.map((draft) => ({
            draft: draft.offer,
            error: getErrors(draft, usableSats)[0]?.text ?? null,
          }))}
          activeId={activeId}
          disabled={isLocked}
          onShow={(subCollectionId) => dispatch({ type: "shown", subCollectionId })}
          onRemove={(subCollectionId) => dispatch({ type: "removed", subCollectionId })}
        />
      )}
      {active && (
        <LendBreakdown
          summary={calculateLend(active.offer)}
          count={active.offer.count}
          follows={active.offer.peg === null ? null : priceName(row.collateralType)}
          rank={
            errors.length > 0
              ? null
              : draftRank(book, active.offer, { process: "instant", editedOfferId: null })
          }
          collateral={draftCollateral(row, active.offer)}
          isInstant
          together={{ count: summary.totalOffers, totalSats: summary.totalSats }}
        />
      )}
      {submission && isProgressOpen && (
        <MultiProgress submission={submission} onContinue={goOn} onSkip={skip} onClose={leaveProgress} />
      )}
      {dialog}
    </LendFrame>
  );
}

function submitLabel(count: number): string {
  return count < 2 ? "Create Offer" : `Create ${count} Offers`;
}
