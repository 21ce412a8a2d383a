import { useState } from "react";
import type { TransactionFlow } from "@/shared/bitcoin/flow-balance";
import { signTransaction } from "@/shared/bitcoin/transaction-signer";
import type { Session } from "@/shared/session/session-store";
import { MANUAL_ESTIMATE_S, SigningProgress } from "@/shared/signing/signing-progress";
import { SigningSummary } from "@/shared/signing/signing-summary";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { commitTransfer, type TransferOrder } from "./brc20-requests";
import { inscribeTransfer } from "./inscribe-transfer";
import { transferFacts } from "./transfer-facts";

/** A prepared transfer inscription, and the flow of its transaction. */
export interface OrderedTransfer {
  order: TransferOrder;
  flow: TransactionFlow;
}

const STEPS = [
  { id: "signature", label: "Please sign with wallet..." },
  { id: "sending", label: "Send both transactions" },
] as const;

/** The effect of inscribing a transfer, its review and signature. */
export function InscribeDialog({
  ordered: { order, flow },
  tokens,
  session,
  onClose,
  onSent,
}: {
  ordered: OrderedTransfer;
  /** Amount and token of the inscription. */
  tokens: string;
  session: Session;
  onClose: () => void;
  /** Called when the transactions are broadcast. */
  onSent: () => void;
}) {
  const [step, setStep] = useState<(typeof STEPS)[number]["id"] | null>(null);

  async function inscribe() {
    const isSent = await inscribeTransfer(order, setStep, {
      sign: signTransaction,
      commit: commitTransfer,
      notify,
    });
    setStep(null);
    if (isSent) onSent();
  }

  return (
    <Modal
      open
      busy={step !== null}
      onClose={onClose}
      title={`Transfer note of ${tokens}`}
      description={step === null ? "Read this before you sign" : "Your wallet asks you to sign"}
      footer={
        <div className="flex justify-end gap-2">
          <Button disabled={step !== null} onClick={onClose}>
            Back
          </Button>
          <Button variant="primary" disabled={step !== null} onClick={() => void inscribe()}>
            {step === null
              ? "Sign and inscribe"
              : step === "signature"
                ? "Please sign with wallet..."
                : "Loading..."}
          </Button>
        </div>
      }
    >
      <div className="px-5 py-4">
        {step === null ? (
          <SigningSummary facts={transferFacts(order, flow, tokens, session)} transactions={[order]} />
        ) : (
          <SigningProgress steps={STEPS} current={step} estimateS={MANUAL_ESTIMATE_S} />
        )}
      </div>
    </Modal>
  );
}
