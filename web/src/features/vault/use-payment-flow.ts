import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { TransactionCancelled } from "@/shared/bitcoin/transaction-signer";
import { notify } from "@/shared/ui/notify";

/** The stage of a deposit or withdrawal: entered, prepared for signing, sent. */
export type PaymentStage<Prepared> =
  | { at: "form" }
  | { at: "review"; prepared: Prepared }
  | { at: "sent"; transactionId: string };

/** The steps of a deposit or a withdrawal, one at a time. A step that fails leaves the state as it was. */
export function usePaymentFlow<Prepared>(onBusy: (isBusy: boolean) => void) {
  const [stage, setStage] = useState<PaymentStage<Prepared>>({ at: "form" });
  const [progress, setProgressText] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function run(
    step: (setProgress: (progress: string) => void) => Promise<PaymentStage<Prepared>>,
  ): Promise<void> {
    setProblem(null);
    onBusy(true);
    try {
      setStage(await step(setProgressText));
    } catch (error) {
      const isCancelled = error instanceof SignatureCancelled || error instanceof TransactionCancelled;
      if (isCancelled) notify.warning(error.message);
      setProblem(errorText(error));
    } finally {
      setProgressText(null);
      onBusy(false);
    }
  }

  function back() {
    setProblem(null);
    setStage({ at: "form" });
  }

  return { stage, progress, problem, run, back };
}
