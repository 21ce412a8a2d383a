import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ProcessType } from "@/shared/api/collection";
import { configQuery } from "@/shared/api/config";
import { chainQuery } from "@/shared/chain/chain-status";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { loanRateBounds } from "@/shared/chain/fee-rate";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { useBook } from "@/shared/feed/use-feed";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { nextOfferText } from "@/shared/signing/next-offer";
import { INSTANT_ESTIMATE_S, MANUAL_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { Button } from "@/shared/ui/button";
import { useVerification } from "@/shared/verification/use-verification";
import type { LoanActionProps } from "../loan-action-props";
import { collateralText } from "../loan-collateral";
import { type RefinanceOffer, refinanceOffers, shownOffers } from "./refinance-choice";
import { RefinanceComparison } from "./refinance-comparison";
import { RefinanceOffers } from "./refinance-offers";
import { REFINANCE_SENT } from "./refinance-sent";
import { isOfferRefused, prepareRefinance } from "./refinance-signing";

/** Limit of offers shown of each process; the best ones are. */
const SHOWN_MAX = 5;

interface RefinanceDialogProps extends LoanActionProps {
  /** The offer that is chosen at first; the best one without it. */
  offerId: string | null;
  /** Opens the standing order of the loan. */
  onOrder: () => void;
}

/** Refinances a loan by another lender's offer, with old and new side by side. */
export function RefinanceDialog({ loan, session, offerId, onOrder, onClose }: RefinanceDialogProps) {
  const book = useBook(loan.groupId);
  const { data: config } = useQuery(configQuery);
  const [refusedIds, setRefusedIds] = useState<ReadonlySet<string>>(new Set());
  const [chosenId, setChosenId] = useState(offerId);
  const offers =
    book.data && config
      ? refinanceOffers(loan, book.data, { userId: session.userId, limits: config.limits, refusedIds })
      : null;
  // The chosen offer may be gone; it is never replaced by another one silently.
  const chosen =
    offers?.find((offer) => offer.offerId === chosenId) ?? (chosenId === null ? offers?.[0] : undefined);
  const isRefused = chosenId !== null && refusedIds.has(chosenId);
  const next = isRefused ? offers?.[0] : undefined;
  const process = (chosen ?? next)?.process ?? "manual";
  // The offer leaves the book once it is taken.
  const [preparedProcess, setPreparedProcess] = useState<ProcessType>(process);
  const { data: chain } = useQuery(chainQuery);
  const rates = loanRateBounds(chain, process);
  const { choice, setChoice, feeRate } = useFeeDecision(rates);
  const { verify, dialog: verification } = useVerification();
  const prepareBy = (offer: RefinanceOffer | undefined) => {
    if (!offer || feeRate === null || !config) return null;
    const { network } = config;
    return async () => {
      setChosenId(offer.offerId);
      setPreparedProcess(offer.process);
      try {
        return await prepareRefinance(loan, session, { ...offer, feeRate }, network, verify);
      } catch (error) {
        if (isOfferRefused(error)) setRefusedIds((known) => new Set([...known, offer.offerId]));
        throw error;
      }
    };
  };
  const prepareNext = prepareBy(next);
  return (
    <ActionDialog
      title={`Refinance ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={prepareBy(chosen)}
      next={
        next && prepareNext
          ? {
              text: nextOfferText({
                principalSats: next.principal,
                termDays: next.term,
                interestPercent: next.interest,
              }),
              prepare: prepareNext,
            }
          : undefined
      }
      verification={verification}
      estimateS={preparedProcess === "instant" ? INSTANT_ESTIMATE_S : MANUAL_ESTIMATE_S}
      sent={REFINANCE_SENT[preparedProcess]}
      onClose={onClose}
    >
      {offers === null && (
        <p role={book.refusal === null ? "status" : "alert"} className="text-sm text-soft">
          {book.refusal ?? "Fetching offers..."}
        </p>
      )}
      {offers && chosenId !== null && !chosen && !isRefused && (
        <p role="alert" className="text-sm text-warn">
          Selected offer is no longer available
        </p>
      )}
      {offers && offers.length > 0 && (
        <RefinanceOffers
          offers={shownOffers(offers, chosenId, SHOWN_MAX)}
          chosenId={chosen?.offerId ?? null}
          onChoose={setChosenId}
        />
      )}
      {chosen && <RefinanceComparison loan={loan} offer={chosen} />}
      {offers && (
        <OrderHint onOrder={onOrder}>
          {offers.length === 0
            ? "No offers are currently available for this collateral. A standing order lets Lienbook look for one near the due date."
            : "No offer that you want now? A standing order lets Lienbook look for one near the due date."}
        </OrderHint>
      )}
      <FeeRatePicker choice={choice} bounds={rates} onChange={setChoice} />
    </ActionDialog>
  );
}

function OrderHint({ children, onOrder }: { children: ReactNode; onOrder: () => void }) {
  return (
    <div className="flex items-center justify-between gap-4 max-sm:flex-col max-sm:items-stretch">
      <p className="text-xs text-pretty text-soft">{children}</p>
      <Button size="small" onClick={onOrder} className="shrink-0">
        Standing order
      </Button>
    </div>
  );
}
