import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { categoryOf } from "@/shared/api/collection";
import { configQuery } from "@/shared/api/config";
import { missingCoinSats } from "@/shared/funding/exact-coin";
import { ExactCoinDialog } from "@/shared/funding/exact-coin-dialog";
import { ActionDialog, type ResultText } from "@/shared/signing/action-dialog";
import { MANUAL_ESTIMATE_S } from "@/shared/signing/signing-progress";
import type { LoanActionProps } from "./loan-action-props";
import { collateralText } from "./loan-collateral";
import { loanQuery } from "./loan-requests";
import { prepareAcceptance, prepareCounterSignature } from "./loan-signing";
import { isExtension } from "./loan-state";
import { REFINANCE_SENT } from "./refinance/refinance-sent";

/** The lender's signatures for an accepted loan. */
export function CounterSignDialog({ loan, session, onClose }: LoanActionProps) {
  const queries = useQueryClient();
  const [missingSats, setMissingSats] = useState<bigint | null>(null);
  const network = useQuery(configQuery).data?.network;
  const prepare = useCallback(async () => {
    if (network === undefined) throw new Error("The network is not known yet");
    const isMoreTime = isExtension(loan) && loan.follows !== null;
    // The interest that an extension pays at once is that of the loan that it follows.
    const followed = isMoreTime
      ? await queries.fetchQuery(loanQuery(session.userId, loan.follows ?? "")).catch(() => null)
      : null;
    try {
      return await prepareCounterSignature(loan, session, followed, network);
    } catch (error) {
      setMissingSats(missingCoinSats(error));
      throw error;
    }
  }, [loan, session, queries, network]);
  if (missingSats !== null) {
    return (
      <ExactCoinDialog
        collectionName={loan.collectionName}
        session={session}
        sats={missingSats}
        next="Once confirmed, it funds this loan. The borrower signs once more, and then it is your turn again."
        onClose={onClose}
      />
    );
  }
  return (
    <ActionDialog
      title={isExtension(loan) ? "Approve extension" : `Lend against ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={network === undefined ? null : prepare}
      estimateS={MANUAL_ESTIMATE_S}
      sent={
        isExtension(loan)
          ? {
              title: "Extension sent",
              next: "With the next block you are paid the interest, and the next term runs.",
            }
          : {
              title: "Loan started",
              next: "The term begins with the next block. You will be notified before it is due.",
            }
      }
      onClose={onClose}
    />
  );
}

/** The borrower's signature for a prepared loan that was left unsigned, or was rebuilt. */
export function SignDialog({ loan, session, onClose }: LoanActionProps) {
  const network = useQuery(configQuery).data?.network;
  const prepare = useMemo(
    () => (network === undefined ? null : () => prepareAcceptance(loan, session, network)),
    [loan, session, network],
  );
  const isInstant = loan.loanProcessType === "Instant";
  const isRefinance = loan.follows !== null && !isExtension(loan);
  const address = `/borrow/${categoryOf(loan.collateralType)}?collection=${loan.groupSlug}`;
  return (
    <ActionDialog
      title={isRefinance ? `Refinance ${loan.collectionName}` : `Borrow against ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={prepare}
      {...(loan.follows === null && {
        otherOffers:
          loan.collateralType === "brc20"
            ? address
            : `${address}&process=${isInstant ? "instant" : "manual"}`,
      })}
      estimateS={MANUAL_ESTIMATE_S}
      sent={isRefinance ? REFINANCE_SENT[isInstant ? "instant" : "manual"] : isInstant ? STARTED : ACCEPTED}
      onClose={onClose}
    />
  );
}

const STARTED: ResultText = {
  title: "Loan started",
  next: "The principal arrives at your payment address with the next block.",
};

const ACCEPTED: ResultText = {
  title: "Offer accepted",
  next: "The lender must counter-sign within 12 hours. You will be notified.",
};
