import { ClaimDialog } from "./claim-dialog";
import { CounterSignDialog, SignDialog } from "./counter-sign-dialog";
import { EndRequestDialog } from "./end-request-dialog";
import { ExtendDialog } from "./extend-dialog";
import type { LoanActionProps } from "./loan-action-props";
import type { LoanActionName } from "./loan-actions";
import { ProposeExtensionDialog } from "./propose-extension-dialog";
import { RefinanceDialog } from "./refinance/refinance-dialog";
import { RefinanceOrderDialog } from "./refinance/refinance-order-dialog";
import { RepayDialog } from "./repay-dialog";

/** A decision about a loan: one of its actions, or its standing order. */
export type LoanDecision = LoanActionName | "order";

interface LoanDecisionProps extends LoanActionProps {
  name: LoanDecision;
  /** The offer to refinance by, which is chosen at first. */
  offerId: string | null;
  /** Opens the standing order instead. */
  onOrder: () => void;
}

/** The dialog of one decision. */
export function LoanActionDialog({ name, offerId, onOrder, ...props }: LoanDecisionProps) {
  switch (name) {
    case "sign":
      return <SignDialog {...props} />;
    case "counterSign":
      return <CounterSignDialog {...props} />;
    case "cancel":
    case "refuse":
      return <EndRequestDialog loan={props.loan} onClose={props.onClose} />;
    case "repay":
    case "raiseRepayment":
      return <RepayDialog loans={[props.loan]} session={props.session} onClose={props.onClose} />;
    case "claim":
    case "raiseClaim":
      return <ClaimDialog {...props} />;
    case "refinance":
      return <RefinanceDialog {...props} offerId={offerId} onOrder={onOrder} />;
    case "extend":
      return <ExtendDialog {...props} />;
    case "proposeExtension":
      return <ProposeExtensionDialog loan={props.loan} onClose={props.onClose} />;
    case "order":
      return <RefinanceOrderDialog {...props} />;
  }
}
