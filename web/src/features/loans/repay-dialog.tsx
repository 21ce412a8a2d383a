import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import type { Loan } from "@/shared/api/loan";
import { useFeeDecision } from "@/shared/chain/fee-decision";
import { FeeRatePicker } from "@/shared/chain/fee-rate-picker";
import { formatMoment } from "@/shared/format/age";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { ActionDialog } from "@/shared/signing/action-dialog";
import { INSTANT_ESTIMATE_S } from "@/shared/signing/signing-progress";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { sumOf } from "./action-facts";
import { arrivalText, collateralText } from "./loan-collateral";
import { prepareRepayment } from "./loan-signing";

/** Maximum number of loans that one transaction can repay. */
export const REPAID_TOGETHER_MAX = 10;

interface RepayDialogProps {
  /** One loan, or several that are repaid together. */
  loans: readonly Loan[];
  session: Session;
  onClose: () => void;
}

/** Repays loans; bumps the fee of an unconfirmed repayment. */
export function RepayDialog({ loans, session, onClose }: RepayDialogProps) {
  const { choice, setChoice, feeRate } = useFeeDecision();
  const network = useQuery(configQuery).data?.network;
  // Fixed when the dialog opens: the feed may report the repayment before the response arrives.
  const [isRaise] = useState(loans.some(({ stage }) => stage === "repaying"));
  const [only] = loans;
  const name = loans.length === 1 && only ? only.collectionName : `${loans.length} loans`;
  return (
    <ActionDialog
      title={isRaise ? "Raise the fee of a repayment" : `Repay ${name}`}
      description={loans.length === 1 && only ? collateralText(only) : "All of them in one transaction"}
      prepare={
        feeRate === null || network === undefined
          ? null
          : () => prepareRepayment(loans, session, feeRate, network)
      }
      estimateS={INSTANT_ESTIMATE_S}
      sent={{
        title: isRaise ? "Repayment sent again" : "Repayment sent",
        next:
          loans.length === 1 && only
            ? `${arrivalText(only)}, and the loan is closed then.`
            : "Each collateral arrives at your ordinals address with the next block, and the loans are closed then.",
      }}
      onClose={onClose}
    >
      {loans.length > 1 && <RepaidLoans loans={loans} />}
      <SumLines>
        <SumLine label="Principal">
          <Btc>{formatBtc(sumOf(loans, "principal"), 8)}</Btc>
        </SumLine>
        <SumLine label="Interest">
          <Btc>{formatBtc(sumOf(loans, "interestSats"), 8)}</Btc>
        </SumLine>
        <SumLine label="You repay" strong>
          <Btc>{formatBtc(sumOf(loans, "payoutSats"), 8)}</Btc>
        </SumLine>
        {only?.dueAt && loans.length === 1 && <SumLine label="Due">{formatMoment(only.dueAt)}</SumLine>}
      </SumLines>
      <FeeRatePicker choice={choice} onChange={setChoice} />
      <p className="text-xs text-muted">
        {isRaise
          ? "The new transaction replaces the one that waits; only one of them can be confirmed."
          : "The interest is the same whether you repay early or on the last day."}
      </p>
    </ActionDialog>
  );
}

function RepaidLoans({ loans }: { loans: readonly Loan[] }) {
  return (
    <ul className="flex max-h-52 flex-col overflow-y-auto rounded-card border border-line py-1 text-sm">
      {loans.map((loan) => (
        <li key={loan.loanId} className="flex items-baseline justify-between gap-3 px-4 py-1.5">
          <span className="min-w-0 truncate">
            {loan.collectionName} <span className="text-muted">{collateralText(loan)}</span>
          </span>
          <span className="shrink-0">{formatBtc(loan.payoutSats, 8)}</span>
        </li>
      ))}
    </ul>
  );
}
