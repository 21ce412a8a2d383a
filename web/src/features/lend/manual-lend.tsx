import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useReducer, useState } from "react";
import { conditionTexts } from "@/shared/api/conditions";
import type { MyOffer } from "@/shared/api/my-offer";
import { ownFundsQuery } from "@/shared/api/own-funds";
import type { Book } from "@/shared/feed/book-channel";
import { formatBtcExact } from "@/shared/format/sats";
import { FundWallet } from "@/shared/funding/fund-wallet";
import { priceName } from "@/shared/price/peg-text";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { type GoodForDays, goodUntilMs } from "@/shared/ui/good-until";
import { GoodUntilChoice } from "@/shared/ui/good-until-choice";
import { notify } from "@/shared/ui/notify";
import { useVerification } from "@/shared/verification/use-verification";
import { ANYONE, audienceError, conditionsOf } from "./audience";
import { AudienceChoice } from "./audience-choice";
import { EarnedPanel } from "./earned-panel";
import { LendBreakdown } from "./lend-breakdown";
import { editDraft, type LendDraft, type LendTarget, newDraft, principalOf, reducer } from "./lend-draft";
import { getErrors, INSUFFICIENT_BTC } from "./lend-errors";
import { type FormAction, LendForm } from "./lend-form";
import { LendFrame } from "./lend-frame";
import { draftOf, selectionReducer } from "./lend-selection";
import { createOffers, editOffer } from "./lend-submission";
import { calculateSummary, footerTotal } from "./lend-summary";
import { draftCollateral, draftRank, labelOf } from "./lend-target";
import { pegKey } from "./peg-draft";
import { SelectedOffers } from "./selected-offers";
import { SubCollectionChips } from "./sub-collection-chips";
import { testedOffer } from "./tested-offer";
import { useSubmissionKey } from "./use-submission-key";

const reduce = selectionReducer<LendTarget, LendDraft, FormAction>({
  start: newDraft,
  reduce: reducer,
  move: (draft, target) => reducer(draft, { type: "marketMoved", target }),
});

/** Creates manual offers for one or several bundles or terms, or edits an existing one. */
export function ManualLend({
  book,
  targets,
  first,
  edited,
  onClose,
  onCreated,
}: {
  book: Book;
  targets: LendTarget[];
  first: LendTarget;
  edited: MyOffer | null;
  onClose: () => void;
  onCreated: (offerIds: readonly string[]) => void;
}) {
  const session = useSession((state) => state.session);
  const [selection, dispatch] = useReducer(reduce, first, (target) => ({
    drafts: [edited ? editDraft(target, edited.principal, edited.peg) : newDraft(target)],
    activeId: target.subCollectionId,
  }));
  const [audience, setAudience] = useState(ANYONE);
  const [goodFor, setGoodFor] = useState<GoodForDays>(null);
  // Of the first attempt: a repeated one must ask for the same.
  const [firstTry, setFirstTry] = useState<{ days: GoodForDays; atMs: number | null } | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submission = useSubmissionKey();
  const { verify, dialog } = useVerification();
  const formId = useId();
  const { row } = book;
  const editedOfferId = edited?.offerId ?? null;

  useEffect(() => dispatch({ type: "marketMoved", targets }), [targets]);

  const { drafts } = selection;
  const active = draftOf(selection, selection.activeId);
  // A manual offer is funded from the lender's own wallet, when it is accepted.
  const funds = useQuery({ ...ownFundsQuery(session?.userId ?? ""), enabled: session !== null });
  const balanceSats = session ? (funds.data?.freeSats ?? null) : null;
  const errorsOf = (draft: LendDraft) => getErrors(draft, balanceSats);
  const count = drafts.reduce((sum, draft) => sum + draft.count, 0);
  const isUnchanged = edited !== null && active !== null && !isEdited(active, edited);
  const isReady =
    drafts.length > 0 && drafts.every((draft) => principalOf(draft) > 0n && errorsOf(draft).length === 0);
  // An offer that not everyone can take has no rank.
  const isConditional = edited ? edited.conditions !== null : audience.kind !== "anyone";
  const isAudienceMissing = edited === null && audienceError(audience) !== null;
  const canSubmit = isReady && !isUnchanged && !isAudienceMissing && !isBusy;

  async function submit() {
    if (!session || !canSubmit || !active) return;
    setIsBusy(true);
    const atMs = firstTry?.days === goodFor ? firstTry.atMs : goodUntilMs(goodFor, Date.now());
    setFirstTry({ days: goodFor, atMs });
    const conditions = conditionsOf(audience);
    const what = drafts.map((each) => `${each.target.collectionSlug}/${termsText(each)}/${each.count}`);
    const key = submission.keyFor(`${editedOfferId}/${what.join("/")}/${atMs}/${JSON.stringify(conditions)}`);
    const outcome = edited
      ? await editOffer(edited.offerId, active, key, verify)
      : await createOffers(drafts, session, { goodUntilMs: atMs, conditions }, key, verify);
    setIsBusy(false);
    if (outcome.isAnswered) {
      submission.done();
      setFirstTry(null);
    }
    if (!outcome.isDone) {
      notify.error(outcome.title, outcome.detail);
      return;
    }
    notify.success(outcome.title, outcome.detail);
    if (edited) onClose();
    else onCreated(outcome.offerIds);
  }

  const selector = edited ? null : (
    <SubCollectionChips
      label={row.collateralType === "inscription" ? "Term" : "Bundle size"}
      row={row}
      targets={targets}
      selectedIds={drafts.map(({ target }) => target.subCollectionId)}
      activeId={selection.activeId}
      disabled={isBusy}
      onChoose={(target) => dispatch({ type: "chosen", target })}
    />
  );
  return (
    <LendFrame
      book={book}
      target={active?.target ?? null}
      total={active && footerTotal(calculateSummary(active), { count, totalSats: totalOf(drafts) })}
      busy={isBusy}
      onClose={onClose}
      action={
        session ? (
          <Button variant="primary" type="submit" form={formId} disabled={!canSubmit}>
            {isBusy ? "Loading..." : submitLabel(edited !== null, count)}
          </Button>
        ) : (
          <ConnectButton />
        )
      }
    >
      {active ? (
        <LendForm
          id={formId}
          selector={selector ?? <EditedSubCollection text={labelOf(row, active.target.subCollectionId)} />}
          draft={active}
          collateralType={row.collateralType}
          dispatch={(action) => dispatch({ type: "changed", action })}
          errors={errorsOf(active)}
          hasCount={edited === null}
          disabled={isBusy}
          onSubmit={() => void submit()}
        >
          {edited === null && <GoodUntilChoice days={goodFor} disabled={isBusy} onChange={setGoodFor} />}
          {edited === null && (
            <AudienceChoice
              audience={audience}
              hasInscriptions={row.collateralType === "inscription"}
              disabled={isBusy}
              onChange={setAudience}
            />
          )}
          {edited?.conditions && (
            <p className="text-xs text-muted">It stays {conditionTexts(edited.conditions).join(", ")}.</p>
          )}
          {edited?.isExpired && (
            <p className="text-xs text-muted">It has expired. Once edited it is good until you cancel it.</p>
          )}
        </LendForm>
      ) : (
        <>
          {selector}
          <p className="text-sm text-muted">Nothing is selected. Choose what you want to lend against.</p>
        </>
      )}
      {session && (
        <FundWallet
          session={session}
          isNeeded={drafts.some((draft) => errorsOf(draft).includes(INSUFFICIENT_BTC))}
        />
      )}
      {edited === null && targets.length > 1 && drafts.length > 0 && (
        <SelectedOffers
          row={row}
          offers={drafts.map((draft) => ({ draft, error: errorsOf(draft)[0] ?? null }))}
          activeId={selection.activeId}
          disabled={isBusy}
          onShow={(subCollectionId) => dispatch({ type: "shown", subCollectionId })}
          onRemove={(subCollectionId) => dispatch({ type: "removed", subCollectionId })}
        />
      )}
      {active && (
        <LendBreakdown
          summary={calculateSummary(active)}
          count={active.count}
          follows={active.peg === null ? null : priceName(row.collateralType)}
          rank={
            isConditional || errorsOf(active).length > 0
              ? null
              : draftRank(book, active, { process: "manual", editedOfferId })
          }
          collateral={draftCollateral(row, active)}
          {...(drafts.length > 1 && { together: { count, totalSats: totalOf(drafts) } })}
        />
      )}
      {active && !isConditional && <EarnedPanel row={row} offer={testedOffer(active, "manual", false)} />}
      <p className="text-xs text-muted">
        Nothing leaves your wallet now. When a borrower accepts, you have 12 hours to counter-sign.
        {balanceSats !== null &&
          ` Confirmed coins of ${formatBtcExact(balanceSats)} BTC at your payment address can fund it.`}
        {row.collateralType === "brc20" &&
          " A loan against BRC-20 is funded by a single coin of exactly the principal and the platform's fee: only while one is at your payment address can the offer be taken."}
        {row.collateralType === "brc20" &&
          active?.peg &&
          " Each step of the principal needs a coin of another amount."}
      </p>
      {dialog}
    </LendFrame>
  );
}

/** The unchangeable part of an edit. */
export function EditedSubCollection({ text }: { text: string }) {
  return <p className="text-sm text-soft">{text}</p>;
}

function totalOf(drafts: readonly LendDraft[]): bigint {
  return drafts.reduce((sum, draft) => sum + principalOf(draft) * BigInt(draft.count), 0n);
}

/** The principal or its bounds, to tell one request from another. */
function termsText(draft: LendDraft): string {
  return draft.peg === null ? principalOf(draft).toString() : pegKey(draft.peg);
}

/** Whether the draft offers anything else than the edited offer. */
function isEdited(draft: LendDraft, { principal, peg }: MyOffer): boolean {
  return termsText(draft) !== termsText(editDraft(draft.target, principal, peg));
}

function submitLabel(isEdit: boolean, count: number): string {
  if (isEdit) return "Edit Offer";
  return count > 1 ? `Create ${count} Offers` : "Create Offer";
}
