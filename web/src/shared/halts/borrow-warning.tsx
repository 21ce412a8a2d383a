import { Notice } from "@/shared/ui/notice";
import { useNewLoansHalted } from "./use-new-loans-halted";

/** The reason why no loan can be taken while new loans are halted; nothing otherwise. */
export function BorrowWarning() {
  if (!useNewLoansHalted()) return null;
  return (
    <Notice title="New loans are halted">
      No loan can begin for now. Running loans can be repaid and extended as always.
    </Notice>
  );
}
