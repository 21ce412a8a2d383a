import { daysText } from "@/shared/format/days";
import { formatBtcPaid } from "@/shared/format/sats";
import { useNewLoansHalted } from "@/shared/halts/use-new-loans-halted";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { FooterTotal } from "@/shared/ui/sum-lines";
import type { BreakdownFigures } from "./borrow-breakdown";
import type { useBorrowRun } from "./use-borrow-run";

/** The buttons below the inputs of a loan: cancel, and the action or the step before it. */
export function DraftFooter({
  formId,
  run,
  leave,
  actionLabel,
  canSubmit,
  total,
  onClose,
}: {
  formId: string;
  run: ReturnType<typeof useBorrowRun>;
  /** Label of the button that closes the dialog. */
  leave: "Cancel" | "Close";
  actionLabel: string;
  canSubmit: boolean;
  total: BreakdownFigures;
  onClose: () => void;
}) {
  const isSignedIn = useSession((state) => state.session !== null);
  const isHalted = useNewLoansHalted();
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      {run.phase.name !== "preparing" && total.principalSats > 0n && (
        <FooterTotal label={`You repay within ${daysText(total.termDays)}`}>
          {formatBtcPaid(total.payoutSats)} BTC
        </FooterTotal>
      )}
      {run.phase.name === "preparing" && (
        <p role="status" className="mr-auto text-sm text-soft">
          Preparing borrow request...
        </p>
      )}
      <Button onClick={onClose} disabled={run.isBusy}>
        {leave}
      </Button>
      {isSignedIn ? (
        <Button variant="primary" type="submit" form={formId} disabled={!canSubmit || isHalted}>
          {run.isBusy ? "Loading..." : actionLabel}
        </Button>
      ) : (
        <ConnectButton />
      )}
    </div>
  );
}
