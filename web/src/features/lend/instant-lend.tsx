import { useEffect, useId, useReducer, useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import type { Book } from "@/shared/feed/book-channel";
import { useMe } from "@/shared/feed/use-feed";
import { priceName } from "@/shared/price/peg-text";
import { useSession } from "@/shared/session/session-store";
import { INSTANT_ESTIMATE_S, SigningProgress } from "@/shared/signing/signing-progress";
import { Button } from "@/shared/ui/button";
import { notify } from "@/shared/ui/notify";
import { useLenderConfig } from "@/shared/vault/use-lender-config";
import { useVault } from "@/shared/vault/use-vault";
import { useVerification, VerificationCancelled } from "@/shared/verification/use-verification";
import { EarnedPanel } from "./earned-panel";
import {
  editInstantDraft,
  type InstantDraft,
  type InstantTarget,
  isOverspent,
  lentSoFarText,
  newInstantDraft,
  reducer,
} from "./instant-draft";
import { getErrors, INSUFFICIENT_VAULT, isComplete } from "./instant-errors";
import { InstantFields } from "./instant-fields";
import { OFFER_STEPS, type OfferStep, offerRequestOf, placeInstantOffer } from "./instant-submission";
import { LendBreakdown } from "./lend-breakdown";
import { LendForm } from "./lend-form";
import { LendFrame } from "./lend-frame";
import { calculateSummary, footerTotal } from "./lend-summary";
import { draftCollateral, draftRank, labelOf } from "./lend-target";
import { EditedSubCollection } from "./manual-lend";
import { pegKey } from "./peg-draft";
import { SubCollectionChips } from "./sub-collection-chips";
import { testedOffer } from "./tested-offer";
import { VaultGate, VaultNotice } from "./vault-gate";

interface InstantLendProps {
  book: Book;
  targets: InstantTarget[];
  first: InstantTarget;
  edited: MyOffer | null;
  onClose: () => void;
  onCreated: (offerIds: readonly string[]) => void;
}

function firstDraft(first: InstantTarget, edited: MyOffer | null): InstantDraft {
  return edited ? editInstantDraft(first, edited) : newInstantDraft(first);
}

/** Creates one instant offer, or edits one: a form, then the steps of the signature. */
export function InstantLend({ book, targets, first, edited, onClose, onCreated }: InstantLendProps) {
  const session = useSession((state) => state.session);
  const config = useLenderConfig();
  const vault = useVault();
  const [draft, dispatch] = useReducer(reducer, first, (target) => firstDraft(target, edited));
  const [unchanged] = useState(draft);
  const [step, setStep] = useState<OfferStep | null>(null);
  const { verify, dialog } = useVerification();
  const formId = useId();
  const { row } = book;
  const { subCollectionId } = draft.target;
  const editedOfferId = edited?.offerId ?? null;
  const editedNow = useMe().data?.offers.get(editedOfferId ?? "");
  const lentWarning = edited && lentSoFarText(edited, editedNow);
  const isOutdated = edited !== null && isOverspent(edited, editedNow);

  useEffect(() => {
    const target = targets.find((moved) => moved.subCollectionId === subCollectionId);
    if (target) dispatch({ type: "marketMoved", target });
  }, [targets, subCollectionId]);

  const errors = getErrors(draft, vault.status === "open" ? vault.usableSats : null);
  const isBusy = step !== null;
  const isAllowed =
    errors.length === 0 || (edited !== null && errors.every(({ text }) => text === INSUFFICIENT_VAULT));
  const isChanged = edited === null || hasChanged(draft, unchanged);
  const isReady = isComplete(draft) && isAllowed && isChanged && !isOutdated;
  const canSubmit = isReady && !isBusy && vault.status === "open";

  async function submit() {
    const offerRequest = offerRequestOf(draft, edited);
    if (!canSubmit || !session || !config || !offerRequest || vault.status !== "open") return;
    let reached: OfferStep = "preparing";
    setStep(reached);
    const lender = { session, config, vaultAddress: vault.address, collectionName: row.collectionName };
    try {
      const offerId = await placeInstantOffer(
        offerRequest,
        lender,
        (next) => {
          reached = next;
          setStep(next);
        },
        verify,
      );
      notify.success(edited ? "Offer edited" : "Offer created");
      if (edited) onClose();
      else onCreated([offerId]);
    } catch (error) {
      report(error, reached, edited !== null);
      setStep(null);
    }
  }

  return (
    <LendFrame
      book={book}
      target={draft.target}
      total={step ? null : footerTotal(calculateSummary(draft.offer), { count: 1, totalSats: 0n })}
      busy={isBusy}
      onClose={onClose}
      action={
        <VaultGate vault={vault} isEdit={edited !== null}>
          <Button variant="primary" type="submit" form={formId} disabled={!canSubmit}>
            {isBusy ? "Loading..." : edited ? "Update Offer" : "Create Offer"}
          </Button>
        </VaultGate>
      }
    >
      {step ? (
        <SigningProgress steps={OFFER_STEPS} current={step} estimateS={INSTANT_ESTIMATE_S} />
      ) : (
        <>
          <VaultNotice vault={vault} />
          {lentWarning && (
            <p role="status" className="rounded-control bg-warn-tint px-3 py-2 text-sm text-soft">
              {lentWarning}
            </p>
          )}
          <LendForm
            id={formId}
            selector={
              edited || targets.length === 1 ? (
                <EditedSubCollection text={labelOf(row, subCollectionId)} />
              ) : (
                <SubCollectionChips
                  label="Term"
                  row={row}
                  targets={targets}
                  selectedIds={[subCollectionId]}
                  activeId={subCollectionId}
                  disabled={isBusy}
                  onChoose={(target) => {
                    if (target.subCollectionId !== subCollectionId)
                      dispatch({ type: "targetChosen", target });
                  }}
                />
              )
            }
            draft={draft.offer}
            collateralType={row.collateralType}
            canFollow={!draft.target.isRune}
            dispatch={(action) => dispatch({ type: "offer", action })}
            errors={errors.filter(({ field }) => field === "amount").map(({ text }) => text)}
            hasCount={false}
            disabled={isBusy}
            onSubmit={() => void submit()}
          >
            <InstantFields row={row} draft={draft} errors={errors} dispatch={dispatch} disabled={isBusy} />
          </LendForm>
          <LendBreakdown
            summary={calculateSummary(draft.offer)}
            count={1}
            follows={draft.offer.peg === null ? null : priceName(row.collateralType)}
            rank={
              errors.length > 0 ? null : draftRank(book, draft.offer, { process: "instant", editedOfferId })
            }
            collateral={draftCollateral(row, draft.offer)}
            isInstant
          />
          <EarnedPanel row={row} offer={testedOffer(draft.offer, "instant", draft.target.isRune)} />
        </>
      )}
      {dialog}
    </LendFrame>
  );
}

function hasChanged(draft: InstantDraft, before: InstantDraft): boolean {
  return (
    draft.offer.amountText !== before.offer.amountText ||
    pegKey(draft.offer.peg) !== pegKey(before.offer.peg) ||
    draft.tokensText !== before.tokensText ||
    draft.maxLtvText !== before.maxLtvText ||
    draft.acceptNextTerm !== before.acceptNextTerm
  );
}

/** Reports a failure by the step it reached; a cancelled signature is no error. */
function report(error: unknown, reached: OfferStep, isEdit: boolean): void {
  if (error instanceof SignatureCancelled || error instanceof VerificationCancelled) {
    notify.warning(error.message, "No offer was made.");
    return;
  }
  const isPrepared = reached === "signature" || reached === "processing";
  const title = !isPrepared
    ? "Failed to prepare offer"
    : isEdit
      ? "Offer could not be edited"
      : "Offer could not be created";
  notify.error(title, errorText(error));
}
