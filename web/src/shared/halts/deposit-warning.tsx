import { Notice } from "@/shared/ui/notice";
import { useNewLoansHalted } from "./use-new-loans-halted";

/** A warning where money would enter a vault while no loan can begin; nothing otherwise. */
export function DepositWarning() {
  if (!useNewLoansHalted()) return null;
  return (
    <Notice title="New loans are halted">
      A deposit cannot be lent for now, so it is better to wait. Withdrawals work.
    </Notice>
  );
}
