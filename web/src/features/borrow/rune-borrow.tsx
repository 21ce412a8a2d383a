import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useMemo, useReducer, useState } from "react";
import { type Collection, decimalsOf } from "@/shared/api/collection";
import { configQuery } from "@/shared/api/config";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { isOfUpstream } from "@/shared/api/query-client";
import { runeBalancesQuery } from "@/shared/api/rune-balances";
import { chainQuery } from "@/shared/chain/chain-status";
import { feeRateOf, loanRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { runeBalance, runeBalanceText } from "@/shared/collateral/holdings";
import { tokensText } from "@/shared/format/raw-tokens";
import { formatTokenAmount, formatUnitPrice } from "@/shared/format/unit-price";
import { CounterOfferEntry } from "@/shared/negotiations/counter-offer-entry";
import { type Session, useSession } from "@/shared/session/session-store";
import { NextOffer } from "@/shared/signing/next-offer";
import { BorrowBreakdown } from "./borrow-breakdown";
import { BorrowFrame } from "./borrow-frame";
import { addressesOf } from "./borrower-addresses";
import { CollateralInput } from "./collateral-input";
import { DraftFooter } from "./draft-footer";
import { DraftProblem } from "./draft-problem";
import { RuneCards } from "./rune-cards";
import {
  amountOf,
  calculateSummary,
  cardsOf,
  getErrors,
  isMissing,
  newDraft,
  offersMessage,
  type RuneTarget,
  reducer,
  termsOf,
  withoutRefused,
} from "./rune-draft";
import { runeQuotesQuery } from "./rune-quotes";
import { TermChips } from "./term-chips";
import { useBorrowRun } from "./use-borrow-run";

interface RuneBorrowProps {
  row: Collection;
  /** The offer chosen in the order book; null for any. */
  offerId: string | null;
  processSwitch: ReactNode;
  onClose: () => void;
}

const ROUTE = { process: "instant", kind: "runes" } as const;

/** Borrows at once against any amount of a rune. */
export function RuneBorrow({ row, offerId, processSwitch, onClose }: RuneBorrowProps) {
  const session = useSession((state) => state.session);
  const { data: config } = useQuery(configQuery);
  const { data: chain } = useQuery(chainQuery);
  const quotes = useQuery({ ...runeQuotesQuery(row.groupSlug), enabled: session !== null });
  const run = useBorrowRun(ROUTE, session, config?.network, () => void quotes.refetch());
  const target = useRuneTarget(row, offerId, session, quotes.data ?? null, run.refusedIds);
  const { error: unknown } = useQuery({
    ...ownCollateralQuery(session?.userId ?? ""),
    enabled: session !== null,
  });
  const balanceText = useRuneBalanceText(row, session, unknown);
  const [draft, dispatch] = useReducer(reducer, target, newDraft);
  useEffect(() => dispatch({ type: "marketMoved", target }), [target]);
  const [isAttempted, setIsAttempted] = useState(false);
  /** The last requested offer. */
  const [takenId, setTakenId] = useState(offerId);
  const formId = useId();

  const unit = row.runeName ?? row.collectionName;
  const summary = calculateSummary(draft);
  const rates = loanRateBounds(chain, "instant");
  const feeRate = feeRateOf(draft.fee, chain, rates);
  const message = quotes.error?.message ?? unknown?.message ?? offersMessage(draft, row.collectionName);
  const tokens = tokensText(amountOf(draft), target.decimals);
  const collateral = `${formatTokenAmount(amountOf(draft), target.decimals)} ${unit}`;
  const canSubmit = summary.card !== null && feeRate !== null && !run.isBusy && session !== null;

  const errors = session ? getErrors(draft, { addresses: addressesOf(session), feeRate }) : [];
  // Shown after an attempt, until it is fixed.
  const error = isAttempted ? errors[0] : undefined;

  async function take(taken: string) {
    const isOpen = run.phase.name === "form" || run.isEnded;
    if (!session || feeRate === null || !isOpen) return;
    setIsAttempted(false);
    setTakenId(taken);
    const loanRequest = { offerId: taken, inscriptionIds: [], tokenAmount: tokens, collateral };
    await run.prepare([loanRequest], feeRate);
  }

  async function submit() {
    if (errors.length > 0) setIsAttempted(true);
    else if (summary.card) await take(summary.card.offerId);
  }

  const isGone = takenId !== null && takenId === offerId && isMissing(quotes.data, offerId);
  const refusal = run.refusal ?? (isGone ? "Selected offer is no longer available" : null);
  const next = refusal === null ? null : summary.card;
  const instead = refusal !== null && (
    <NextOffer
      reason={refusal}
      next={next && { ...next, interestPercent: next.interestBps / 100 }}
      disabled={run.isBusy || feeRate === null}
      onTake={() => next && void take(next.offerId)}
    />
  );

  return (
    <BorrowFrame
      row={row}
      process="instant"
      run={run}
      instead={instead}
      onClose={onClose}
      description={row.unitPrice === null ? undefined : `${formatUnitPrice(row.unitPrice)} sats a token`}
      form={
        <form
          id={formId}
          className="flex flex-col gap-4 px-5 py-4"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
          onKeyDown={(event) => {
            // Enter shows the missing input, because a disabled button cannot.
            if (event.key !== "Enter" || canSubmit || !(event.target instanceof HTMLInputElement)) return;
            event.preventDefault();
            void submit();
          }}
        >
          {processSwitch}
          <TermChips
            terms={termsOf(target)}
            chosen={draft.terms}
            disabled={run.isBusy}
            onAll={() => dispatch({ type: "allTermsChosen" })}
            onToggle={(termDays) => dispatch({ type: "termToggled", termDays })}
          />
          <CollateralInput draft={draft} unit={unit} disabled={run.isBusy} dispatch={dispatch} />
          <DraftProblem error={error} at="collateral" />
          {balanceText !== null && (
            <p className="text-xs text-soft" role="status">
              {balanceText}
            </p>
          )}
          {instead}
          <RuneCards
            cards={cardsOf(draft)}
            chosenId={draft.offerId}
            message={session ? message : "Connect a wallet to see what you can borrow."}
            disabled={run.isBusy}
            onChoose={(chosen) => dispatch({ type: "offerChosen", offerId: chosen })}
          />
          <CounterOfferEntry
            subject={
              summary.card && {
                kind: "offer",
                offerId: summary.card.offerId,
                terms: summary.card,
                raw: amountOf(draft),
                isOpenAmount: true,
                inscriptionId: null,
                taken: null,
              }
            }
            row={row}
            disabled={run.isBusy}
            onSent={onClose}
          />
          {offerId === null && <DraftProblem error={error} at="offers" />}
          <FeeRatePicker
            choice={draft.fee}
            bounds={rates}
            onChange={(fee) => dispatch({ type: "feeChosen", fee })}
            disabled={run.isBusy}
          />
          <DraftProblem error={error} at="fee" />
          <DraftProblem error={error} at="wallet" />
          <BorrowBreakdown figures={summary} collateral={collateral} process="instant" />
        </form>
      }
      formFooter={
        <DraftFooter
          formId={formId}
          run={run}
          leave="Close"
          total={summary}
          actionLabel="Submit"
          canSubmit={canSubmit}
          onClose={onClose}
        />
      }
    />
  );
}

function useRuneTarget(
  row: Collection,
  offerId: string | null,
  session: Session | null,
  quotes: RuneTarget["quotes"],
  refusedIds: ReadonlySet<string>,
): RuneTarget {
  const userId = session?.userId ?? "";
  const { data: collateral } = useQuery({ ...ownCollateralQuery(userId), enabled: session !== null });
  const balance = collateral ? runeBalance(row, collateral) : null;
  // No default while the holdings are unknown: the pledged amount is never guessed.
  const known = collateral ? quotes : null;
  const { unitPrice } = row;
  const decimals = decimalsOf(row);
  return useMemo(
    () =>
      withoutRefused(
        { quotes: known, balance, decimals, price: unitPrice, pinnedOfferId: offerId },
        refusedIds,
      ),
    [known, refusedIds, balance, decimals, unitPrice, offerId],
  );
}

/**
 * Rune balances of another indexer while the user's outputs cannot be read; null while they can, or without
 * one.
 */
function useRuneBalanceText(row: Collection, session: Session | null, unknown: Error | null): string | null {
  const userId = session?.userId ?? "";
  const isAway = unknown !== null && isOfUpstream(unknown);
  const { data } = useQuery({ ...runeBalancesQuery(userId), enabled: session !== null && isAway });
  return isAway && data ? runeBalanceText(row, data) : null;
}
