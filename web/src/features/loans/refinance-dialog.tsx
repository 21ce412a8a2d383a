import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import type { Loan } from "@/shared/api/loan";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { chainQuery } from "@/shared/chain/chain-status";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { loanRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { useBook } from "@/shared/feed/use-feed";
import { formatPercent } from "@/shared/format/percent";
import { formatBtc, formatBtcPaid } from "@/shared/format/sats";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { nextOfferText } from "@/shared/signing/next-offer";
import { offerRefusal } from "@/shared/signing/offer-refusal";
import { MANUAL_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { classNames } from "@/shared/ui/class-names";
import { useVerification } from "@/shared/verification/use-verification";
import type { LoanActionProps } from "./loan-action-props";
import { collateralText } from "./loan-collateral";
import { prepareRefinance } from "./loan-signing";
import { type RefinanceOffer, refinanceOffers } from "./refinance-choice";

/** Limit of offers shown; the best ones are. */
const SHOWN_MAX = 8;

/** Refinances a loan by another lender's offer, with old and new side by side. */
export function RefinanceDialog({ loan, session, onClose }: LoanActionProps) {
  const book = useBook(loan.groupId);
  const [refusedIds, setRefusedIds] = useState<ReadonlySet<string>>(new Set());
  const offers = book.data
    ? refinanceOffers(loan, book.data, session.userId, refusedIds).slice(0, SHOWN_MAX)
    : null;
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { data: chain } = useQuery(chainQuery);
  const rates = loanRateBounds(chain, "manual");
  const { choice, setChoice, feeRate } = useFeeDecision(rates);
  const { verify, dialog: verification } = useVerification();
  // The chosen offer may be gone; it is never replaced by another one silently.
  const chosen =
    offers?.find(({ offerId }) => offerId === chosenId) ?? (chosenId === null ? offers?.[0] : undefined);
  const isRefused = chosenId !== null && refusedIds.has(chosenId);
  const { data: config } = useQuery(configQuery);
  const prepare = (offerId: string, rate: number, network: BitcoinNetwork) => async () => {
    setChosenId(offerId);
    try {
      return await prepareRefinance(loan, session, { offerId, feeRate: rate }, network, verify);
    } catch (error) {
      if (offerRefusal(error) !== null) setRefusedIds((known) => new Set([...known, offerId]));
      throw error;
    }
  };
  const next = isRefused ? offers?.[0] : undefined;
  return (
    <ActionDialog
      title={`Refinance ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={
        feeRate === null || !chosen || !config ? null : prepare(chosen.offerId, feeRate, config.network)
      }
      next={
        next && feeRate !== null && config
          ? {
              text: nextOfferText({
                principalSats: next.principal,
                termDays: next.term,
                interestPercent: next.interest,
              }),
              prepare: prepare(next.offerId, feeRate, config.network),
            }
          : undefined
      }
      verification={verification}
      estimateS={MANUAL_ESTIMATE_S}
      sent={{
        title: "Offer accepted",
        next: "The new lender must counter-sign within 12 hours. Until then this loan continues, and its due date still applies.",
      }}
      onClose={onClose}
    >
      {offers === null && <p className="text-sm text-soft">{book.refusal ?? "Fetching"}</p>}
      {offers?.length === 0 && (
        <p className="text-sm text-soft">
          No offers are currently available for this collection. Another lender's manual offer for the same
          collateral could pay this loan off.
        </p>
      )}
      {chosenId !== null && !chosen && !isRefused && (
        <p role="alert" className="text-sm text-warn">
          Selected offer is no longer available
        </p>
      )}
      {offers && offers.length > 0 && (
        <OfferChoice offers={offers} chosenId={chosen?.offerId ?? null} onChoose={setChosenId} />
      )}
      {chosen && <Comparison loan={loan} offer={chosen} />}
      <FeeRatePicker choice={choice} bounds={rates} onChange={setChoice} />
    </ActionDialog>
  );
}

function OfferChoice({
  offers,
  chosenId,
  onChoose,
}: {
  offers: RefinanceOffer[];
  chosenId: string | null;
  onChoose: (offerId: string) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-xs text-soft">The new loan</legend>
      {offers.map((offer) => (
        <label
          key={offer.offerId}
          className={classNames(
            "flex min-h-11 cursor-pointer items-center gap-3 rounded-control border px-3 text-sm transition-colors",
            offer.offerId === chosenId ? "border-text" : "border-line hover:border-line-strong",
          )}
        >
          <input
            type="radio"
            name="refinance-offer"
            checked={offer.offerId === chosenId}
            onChange={() => onChoose(offer.offerId)}
            className="size-4 accent-text"
          />
          <span className="flex-1 font-strong">
            {formatBtcPaid(offer.principal)} <span className="font-normal text-muted">BTC</span>
          </span>
          <span className="text-muted">
            {offer.term} days at {formatPercent(offer.interest)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Comparison({ loan, offer }: { loan: Loan; offer: RefinanceOffer }) {
  const rows: Array<[label: string, old: string, next: string]> = [
    ["Principal, BTC", formatBtc(loan.principal, 8), formatBtc(offer.principal, 8)],
    ["Interest", formatPercent(loan.interest), formatPercent(offer.interest)],
    ["Term", `${loan.term} days`, `${offer.term} days`],
    ["You repay, BTC", formatBtc(loan.payoutSats, 8), formatBtc(offer.payoutSats, 8)],
  ];
  const { differenceSats } = offer;
  return (
    <div className="rounded-card border border-line bg-ground px-4 py-3 text-sm">
      <table className="w-full">
        <caption className="sr-only">The current loan and the one that would replace it</caption>
        <thead>
          <tr className="text-xs text-muted">
            <td />
            <th scope="col" className="pb-1.5 text-right font-normal">
              This loan
            </th>
            <th scope="col" className="pb-1.5 text-right font-normal">
              New loan
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, old, next]) => (
            <tr key={label}>
              <th scope="row" className="py-1 text-left font-normal text-soft">
                {label}
              </th>
              <td className="py-1 text-right text-soft">{old}</td>
              <td className="py-1 text-right">{next}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 flex justify-between gap-3 border-t border-line pt-2.5">
        <span className="text-soft">{differenceSats < 0n ? "You add now" : "You receive now"}</span>
        <span className="font-strong">
          {formatBtc(differenceSats < 0n ? -differenceSats : differenceSats, 8)}{" "}
          <span className="font-normal text-muted">BTC</span>
        </span>
      </p>
    </div>
  );
}
