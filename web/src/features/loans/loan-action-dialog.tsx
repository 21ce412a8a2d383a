import { ClaimDialog } from "./claim-dialog";
import { CounterSignDialog, SignDialog } from "./counter-sign-dialog";
import { EndRequestDialog } from "./end-request-dialog";
import { ExtendDialog } from "./extend-dialog";
import type { LoanActionProps } from "./loan-action-props";
import type { LoanActionName } from "./loan-actions";
import { RefinanceDialog } from "./refinance-dialog";
import { RepayDialog } from "./repay-dialog";

/** The dialog of one action. */
export function LoanActionDialog({ name, ...props }: LoanActionProps & { name: LoanActionName }) {
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
      return <RefinanceDialog {...props} />;
    case "extend":
      return <ExtendDialog {...props} />;
  }
}
