import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { Loan } from "@/shared/api/loan";
import { formatBtcPaid } from "@/shared/format/sats";
import { useLoanRefresh } from "@/shared/loans/loan-refresh";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { collateralText } from "./loan-collateral";
import { cancelLoan, refuseLoan } from "./loan-signing";

/** Asks for confirmation before a loan that has not started is cancelled by either side. */
export function EndRequestDialog({ loan, onClose }: { loan: Loan; onClose: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const refreshLoans = useLoanRefresh();
  const isLender = loan.role === "lender";

  async function end() {
    setIsBusy(true);
    try {
      await (isLender ? refuseLoan : cancelLoan)(loan.loanId);
      notify.success(
        isLender ? "Loan refused" : "Request cancelled",
        "Everything reserved for it is available again.",
      );
      onClose();
    } catch (error) {
      notify.error(
        isLender ? "The loan could not be refused" : "The request could not be cancelled",
        errorText(error),
      );
    } finally {
      setIsBusy(false);
      refreshLoans();
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={isLender ? "Refuse this loan?" : "Cancel this request?"}
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>
            Keep it
          </Button>
          <Button variant="danger" disabled={isBusy} onClick={() => void end()}>
            {isBusy ? "Loading..." : isLender ? "Refuse" : "Cancel request"}
          </Button>
        </div>
      }
    >
      <div className="flex flex-col gap-2 px-5 py-4 text-sm">
        <p>
          <strong className="font-strong">{formatBtcPaid(loan.principal)} BTC</strong> against{" "}
          {collateralText(loan)}, {loan.collectionName}, {loan.term} days
        </p>
        <p className="text-soft">
          {isLender
            ? "The borrower's collateral and your coins are available again. It lowers your acceptance rate, which borrowers see."
            : "Your collateral and the lender's coins are available again. Nothing has moved, and it costs nothing."}
        </p>
      </div>
    </Modal>
  );
}
