import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useId, useMemo, useReducer, useRef, useState } from "react";
import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import { choosesInscriptions } from "@/shared/api/conditions";
import { configQuery } from "@/shared/api/config";
import type { NegotiableOffer } from "@/shared/api/counter-offer";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { chainQuery } from "@/shared/chain/chain-status";
import { feeRateOf, loanRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { runeBalance } from "@/shared/collateral/holdings";
import type { Book } from "@/shared/feed/book-channel";
import { bookChannelName } from "@/shared/feed/feed-store";
import { chosenInscriptionsQuery } from "@/shared/feed/opened-offers";
import { useRetry } from "@/shared/feed/use-feed";
import { capitalized } from "@/shared/format/capitalized";
import { formatBtc, formatBtcPaid } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { CounterOfferEntry } from "@/shared/negotiations/counter-offer-entry";
import { priceName } from "@/shared/price/peg-text";
import { type Session, useSession } from "@/shared/session/session-store";
import { NextOffer } from "@/shared/signing/next-offer";
import { Notice } from "@/shared/ui/notice";
import { BorrowBreakdown } from "./borrow-breakdown";
import {
  type BorrowDraft,
  type BorrowSummary,
  type BorrowTarget,
  calculateSummary,
  getErrors,
  newDraft,
  reducer,
} from "./borrow-draft";
import { BorrowFrame } from "./borrow-frame";
import {
  type BorrowOffer,
  borrowableSubCollections,
  nextOffer,
  ONE_PREPARED,
  type PreparedLimits,
} from "./borrow-offer";
import { addressesOf } from "./borrower-addresses";
import { DraftFooter } from "./draft-footer";
import { DraftProblem } from "./draft-problem";
import { firstChoice, freeInscriptions } from "./linked-inscription";
import { OfferChoices } from "./offer-choices";
import { OfferPledge } from "./offer-pledge";
import { isComplete, pledgedTogether } from "./pledged-together";
import type { LoanRequest } from "./prepared-loan";
import { isStillOffered, repricedSats } from "./repriced";
import { takenInscriptions } from "./taken-inscriptions";
import { useBorrowRun } from "./use-borrow-run";

interface OfferBorrowProps {
  book: Book;
  process: "manual" | "instant";
  /** The offer chosen in the order book; null to take the best ones. */
  offerId: string | null;
  /** The inscription to pledge, of a link of another site; null without one. */
  linkedId: string | null;
  /** Switches between manual and instant. */
  processSwitch: ReactNode;
  /** The panel that pledges BRC-20 and reports the transfer inscription. */
  brc20Panel: Brc20Slot;
  onClose: () => void;
}

export type Brc20Slot = (slot: {
  collectionSlug: string;
  disabled: boolean;
  onTransfer: (inscriptionId: string | null) => void;
}) => ReactNode;

/** Takes offers whole: one against an inscription, or several similar ones against several. */
export function OfferBorrow(props: OfferBorrowProps) {
  const { book, process, offerId, linkedId, processSwitch, brc20Panel, onClose } = props;
  const { row } = book;
  const session = useSession((state) => state.session);
  const { data: config } = useQuery(configQuery);
  const { data: chain } = useQuery(chainQuery);
  const formId = useId();
  const [transferId, setTransferId] = useState<string | null>(null);
  const [isAttempted, setIsAttempted] = useState(false);
  /** The offer requested, or chosen in the order book: the alternative should resemble it. */
  const [accepted, setAccepted] = useState<BorrowOffer | null>(null);
  const collateral = useQuery({
    ...ownCollateralQuery(session?.userId ?? ""),
    enabled: session !== null && row.collateralType !== "brc20",
  });

  const route = { process, kind: row.collateralType === "inscription" ? "ordinals" : "runes" } as const;
  const refresh = useRetry(bookChannelName(row.id));
  // Requests end after the market has moved, so they look at the book as it is then.
  const latestBook = useRef(book);
  useEffect(() => {
    latestBook.current = book;
  }, [book]);
  const isOffered = useCallback((id: string) => isStillOffered(latestBook.current, id), []);
  const run = useBorrowRun(route, session, config?.network, refresh, isOffered);
  // The offer of the order book, until it is replaced by another one.
  const [pinnedId, setPinnedId] = useState(offerId);
  const target = useTarget(book, process, pinnedId, session, run.refusedIds, config?.limits ?? ONE_PREPARED);
  const [draft, dispatch] = useReducer(reducer, target, newDraft);
  useEffect(() => dispatch({ type: "marketMoved", target }), [target]);
  const summary = calculateSummary(draft);
  const pinned = pinnedId === null ? null : (summary.offers[0] ?? null);
  const asked = pinned?.conditions ?? null;
  const hasChosen = asked !== null && choosesInscriptions(asked);
  const chosen = useQuery({
    ...chosenInscriptionsQuery(pinnedId ?? ""),
    enabled: session !== null && hasChosen,
  });
  // Of those chosen by id none, until they are known.
  const taken = hasChosen ? takenInscriptions(chosen.data, asked, row, collateral.data) : null;
  const isTogether = summary.inscriptionCount > 1;
  const together = isTogether ? pledgedTogether(chosen.data, row, collateral.data) : null;
  const free = collateral.data ? freeInscriptions(row, collateral.data, taken) : null;
  const onlyId = free ? firstChoice(free, linkedId) : null;
  useEffect(() => {
    if (onlyId !== null) dispatch({ type: "loneInscriptionFound", inscriptionId: onlyId });
  }, [onlyId]);
  if (pinned !== null && pinned !== accepted) setAccepted(pinned);
  const rates = loanRateBounds(chain, process);
  const feeRate = feeRateOf(draft.fee, chain, rates);
  const balance = collateral.data && row.collateralType === "rune" ? runeBalance(row, collateral.data) : null;
  // Without a transfer inscription there is nothing to borrow against, and its panel has a fee rate of its
  // own.
  const isTransferMissing = row.collateralType === "brc20" && transferId === null;
  const isShort = balance !== null && summary.subCollection !== null && balance < summary.subCollection.raw;

  const isCollateralReady = isTogether ? together !== null && isComplete(together) : transferId !== null;
  const errors = session
    ? getErrors(draft, { addresses: addressesOf(session), feeRate, isCollateralReady })
    : [];
  // Shown after an attempt, until it is fixed.
  const error = isAttempted ? errors[0] : undefined;

  const isPossible = !isShort && !isTransferMissing && session?.hardwareWallet === false;
  const canSubmit = isPossible && summary.offers.length > 0 && !run.isBusy;

  async function take(offers: readonly BorrowOffer[]) {
    const [first] = offers;
    const isOpen = run.phase.name === "form" || run.isEnded;
    if (feeRate === null || !isOpen || !first) return;
    setIsAttempted(false);
    setAccepted(first);
    if (pinnedId !== null) setPinnedId(first.offerId);
    const transfer = transferId === null ? [] : [transferId];
    const chosenIds = row.collateralType === "brc20" ? transfer : draft.inscriptionIds;
    const pledged = isTogether ? [together?.ids ?? []] : chosenIds.map((id) => [id]);
    await run.prepare(loanRequestsOf(row, pledged, offers), feeRate);
  }

  const repriced = run.phase.name === "review" && !run.isEnded ? repricedSats(book, run.phase.loans) : null;

  /** Prepares the reviewed loans at the principals of now. */
  async function renew() {
    if (run.phase.name !== "review" || feeRate === null) return;
    const loanRequests = run.phase.loans.map(({ loanRequest }) => loanRequest);
    await run.reset();
    await run.prepare(loanRequests, feeRate);
  }

  async function submit() {
    if (!session || !isPossible || run.isBusy) return;
    if (errors.length > 0) setIsAttempted(true);
    else await take(summary.offers);
  }

  /** Takes the alternative offer, or shows it while a choice is missing. */
  async function takeNext(offer: BorrowOffer) {
    const isComplete = isPossible && errors.every(({ at }) => at === "offers");
    if (isComplete || pinnedId === null) return take([offer]);
    setAccepted(offer);
    setPinnedId(offer.offerId);
  }

  const negotiable = summary.offers.length === 1 ? negotiableOffer(row, summary, draft, taken) : null;
  const isGone = pinnedId !== null && summary.offers.length === 0;
  const refusal = run.refusal ?? (isGone ? "Selected offer is no longer available" : null);
  // An offer that was gone before it was seen has the first one as its alternative.
  const like = accepted ?? target.subCollections[0]?.offers[0];
  const next = like && refusal !== null ? nextOffer(target.subCollections, like) : null;
  const instead = refusal !== null && (
    <NextOffer
      reason={refusal}
      next={next && { ...next, interestPercent: next.interestBps / 100 }}
      disabled={run.isBusy || feeRate === null}
      onTake={() => next && void takeNext(next)}
    />
  );

  return (
    <BorrowFrame
      row={row}
      process={process}
      run={run}
      instead={instead}
      repricedSats={repriced}
      onRenew={() => void renew()}
      onClose={onClose}
      description={headline(row, summary, pinnedId !== null)}
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
          {instead}
          <OfferChoices row={row} draft={draft} summary={summary} dispatch={dispatch} disabled={run.isBusy} />
          <CounterOfferEntry subject={negotiable} row={row} disabled={run.isBusy} onSent={onClose} />
          {/* The choice itself reports a pinned offer that is gone. */}
          {pinnedId === null && <DraftProblem error={error} at="offers" />}
          {row.collateralType === "brc20" &&
            brc20Panel({
              collectionSlug: slugOf(row, summary),
              disabled: run.isBusy,
              onTransfer: setTransferId,
            })}
          {linkedId !== null && free !== null && !free.includes(linkedId) && (
            <Notice title="The inscription of the link cannot be pledged">
              It is not in this wallet, or promised to another loan.
            </Notice>
          )}
          {session && row.collateralType !== "brc20" && (
            <OfferPledge
              row={row}
              draft={draft}
              summary={summary}
              dispatch={dispatch}
              collateral={collateral.data ?? null}
              error={collateral.error?.message ?? null}
              balance={balance}
              taken={taken}
              together={together}
              togetherError={chosen.error?.message ?? null}
              disabled={run.isBusy}
              problem={error}
            />
          )}
          {!isTransferMissing && (
            <FeeRatePicker
              choice={draft.fee}
              bounds={rates}
              onChange={(fee) => dispatch({ type: "feeChosen", fee })}
              disabled={run.isBusy}
            />
          )}
          <DraftProblem error={error} at="fee" />
          <DraftProblem error={error} at="wallet" />
          <BorrowBreakdown
            figures={summary}
            collateral={pledgedText(row, summary)}
            process={process}
            inscriptionCount={summary.inscriptionCount}
            follows={summary.offers.some(({ isPegged }) => isPegged) ? priceName(row.collateralType) : null}
          />
        </form>
      }
      formFooter={
        <DraftFooter
          formId={formId}
          run={run}
          leave="Cancel"
          total={summary}
          actionLabel={
            summary.offers.length > 0 ? `Borrow ${formatBtcPaid(summary.principalSats)} BTC` : "Borrow"
          }
          canSubmit={canSubmit}
          onClose={onClose}
        />
      }
    />
  );
}

function useTarget(
  book: Book,
  process: "manual" | "instant",
  offerId: string | null,
  session: Session | null,
  refusedIds: ReadonlySet<string>,
  preparedLimits: PreparedLimits,
): BorrowTarget {
  const userId = session?.userId ?? null;
  return useMemo(
    () => ({
      kind: book.row.collateralType,
      process,
      subCollections: borrowableSubCollections(book, process, userId, refusedIds, offerId),
      pinnedOfferId: offerId,
      preparedLimits,
    }),
    [book, process, offerId, userId, refusedIds, preparedLimits],
  );
}

/** The offer of the draft, to propose other terms. */
function negotiableOffer(
  row: Collection,
  { offers: [offer], inscriptionCount }: BorrowSummary,
  { inscriptionIds }: BorrowDraft,
  taken: ReadonlySet<string> | null,
): NegotiableOffer | null {
  // The terms of several inscriptions together are proposed about the request.
  if (!offer || inscriptionCount > 1) return null;
  const { offerId, subCollectionId, raw, principalSats, interestBps, termDays } = offer;
  const sub = row.subCollections.find(({ id }) => id === subCollectionId);
  return {
    kind: "offer",
    offerId,
    terms: { principalSats, interestBps, termDays },
    raw,
    isOpenAmount: row.collateralType !== "inscription" && sub?.bundleSize === null,
    inscriptionId: inscriptionIds[0] ?? null,
    taken,
  };
}

/** The slug of the chosen bundle, or of the first one. */
function slugOf(row: Collection, { subCollection }: BorrowSummary): string {
  const sub =
    row.subCollections.find(({ id }) => id === subCollection?.subCollectionId) ?? row.subCollections[0];
  return sub?.slug ?? row.groupSlug;
}

function headline(row: Collection, { offers, termDays }: BorrowSummary, isPinned: boolean): string {
  const floor = row.floor === null ? [] : [`Floor ${formatBtc(row.floor)} BTC`];
  const [offer] = offers;
  // A pinned offer need not be the best one.
  const name = isPinned ? "this offer" : `best offer for ${termDays} days`;
  const text = [...floor, offer ? `${name} ${formatBtcPaid(offer.principalSats)} BTC` : "no offers now"].join(
    ", ",
  );
  return capitalized(text);
}

/** The collateral of each offer as text. */
function collateralText(row: Collection, raw: bigint): string {
  if (row.collateralType === "inscription") {
    return `${raw} ${row.collectionName} ${raw === 1n ? "inscription" : "inscriptions"}`;
  }
  return `${formatTokenAmount(raw, decimalsOf(row), 4)} ${unitOf(row)}`;
}

function pledgedText(row: Collection, { offers, subCollection }: BorrowSummary): string {
  const raw = (subCollection?.raw ?? 0n) * BigInt(offers.length);
  return collateralText(row, row.collateralType === "inscription" && raw === 0n ? 1n : raw);
}

/** The loan of each offer, with the inscriptions that secure it. */
function loanRequestsOf(
  row: Collection,
  pledged: ReadonlyArray<readonly string[]>,
  offers: readonly BorrowOffer[],
): LoanRequest[] {
  return offers.map(({ offerId, raw }, index) => ({
    offerId,
    inscriptionIds: pledged[index] ?? [],
    tokenAmount: null,
    collateral: collateralText(row, raw),
  }));
}
