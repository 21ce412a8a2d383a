import { CircleCheck, Clock, Undo2 } from "lucide-react";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { ExplorerLink } from "@/shared/chain/explorer-link";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import { SigningSummary } from "@/shared/signing/signing-summary";
import { Button } from "@/shared/ui/button";
import type { SentStage } from "./sent-payment";

/** The effect of a signature, and the button that names it. */
export function PaymentReview({
  facts,
  transactions,
  label,
  progress,
  onBack,
  onSign,
}: {
  facts: SigningFacts;
  transactions?: readonly TransactionToSign[];
  /** The action and the amount. */
  label: string;
  /** The action in progress; null without one. */
  progress: string | null;
  onBack: () => void;
  onSign: () => void;
}) {
  return (
    <div className="flex flex-col gap-4">
      <SigningSummary facts={facts} transactions={transactions} />
      <div className="flex justify-end gap-2">
        <Button disabled={progress !== null} onClick={onBack}>
          Back
        </Button>
        <Button variant="primary" disabled={progress !== null} onClick={onSign} aria-live="polite">
          {progress ?? label}
        </Button>
      </div>
    </div>
  );
}

const SENT_ICON = {
  "on its way": <Clock size={20} aria-hidden className="mt-0.5 shrink-0 text-muted" />,
  confirmed: <CircleCheck size={20} aria-hidden className="mt-0.5 shrink-0 text-up" />,
  returned: <Undo2 size={20} aria-hidden className="mt-0.5 shrink-0 text-warn" />,
} as const;

/** The status of the payment that was just sent. */
export function PaymentSent({
  transactionId,
  stage,
  texts,
  again,
  onAgain,
}: {
  transactionId: string;
  stage: SentStage;
  texts: Record<SentStage, string>;
  again: string;
  onAgain: () => void;
}) {
  return (
    <div
      role="status"
      className="flex items-start gap-3 rounded-card border border-line bg-ground px-4 py-3 text-sm"
    >
      {SENT_ICON[stage]}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p>{texts[stage]}</p>
        <p className="text-muted">
          Transaction <ExplorerLink transactionId={transactionId} />
        </p>
      </div>
      <Button size="small" onClick={onAgain}>
        {again}
      </Button>
    </div>
  );
}

/** The reason why the last step failed, and what is not lost. */
export function PaymentProblem({ problem, kept }: { problem: string | null; kept: string }) {
  if (problem === null) return null;
  return (
    <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-sm text-down">
      {problem}. {kept}
    </p>
  );
}
