import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { formatBtc } from "@/shared/format/sats";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { INSTANT_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import type { LoanActionProps } from "./loan-action-props";
import { arrivalText, collateralText } from "./loan-collateral";
import { prepareClaim } from "./loan-signing";

/** Claims the collateral of a loan that was not repaid. */
export function ClaimDialog({ loan, session, onClose }: LoanActionProps) {
  const { choice, setChoice, feeRate } = useFeeDecision();
  const network = useQuery(configQuery).data?.network;
  // Fixed when the dialog opens: the feed may report the claim before the response arrives.
  const [isRaise] = useState(loan.stage === "claiming");
  return (
    <ActionDialog
      title={isRaise ? "Raise the fee of a claim" : `Claim ${loan.collectionName}`}
      description={collateralText(loan)}
      prepare={
        feeRate === null || network === undefined ? null : () => prepareClaim(loan, session, feeRate, network)
      }
      estimateS={INSTANT_ESTIMATE_S}
      sent={{
        title: isRaise ? "Claim sent again" : "Claim sent",
        next: `${arrivalText(loan)}, and the loan is closed then.`,
      }}
      onClose={onClose}
    >
      <SumLines>
        <SumLine label="You take" strong>
          <span title={pledgeTitle(loan)}>{collateralText(loan)}</span>
        </SumLine>
        <SumLine label="Instead of">
          <Btc>{formatBtc(loan.payoutSats, 8)}</Btc>
        </SumLine>
        {loan.dueAt !== null && <SumLine label="Due date">{formatMoment(loan.dueAt)}</SumLine>}
        <SumLine label="Claimable since">{formatMoment(loan.claimAfter)}</SumLine>
      </SumLines>
      <FeeRatePicker choice={choice} onChange={setChoice} />
      {loan.stage === "repaying" && (
        <p className="rounded-control bg-warn-tint px-3 py-2 text-sm text-warn">
          A repayment of this loan is waiting for confirmation. Whichever of the two is confirmed first
          counts.
        </p>
      )}
    </ActionDialog>
  );
}
