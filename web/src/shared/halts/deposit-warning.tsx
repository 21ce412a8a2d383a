import { useHalts } from "@/shared/feed/use-feed";
import { Notice } from "@/shared/ui/notice";

/** A warning where money would enter a vault while no loan can begin; nothing otherwise. */
export function DepositWarning() {
  const isHalted = useHalts().has("new_loans");
  if (!isHalted) return null;
  return (
    <Notice title="New loans are halted">
      A deposit cannot be lent for now, so it is better to wait. Withdrawals work.
    </Notice>
  );
}
