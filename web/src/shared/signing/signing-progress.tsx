import { useEffect, useState } from "react";
import { Modal } from "@/shared/ui/modal";
import { type NamedStep, StepList } from "@/shared/ui/step-list";

/** Typical duration of a whole flow. */
export const MANUAL_ESTIMATE_S = 22;
export const INSTANT_ESTIMATE_S = 45;

/** Seconds since the first render, measured by the clock, not by ticks. */
function useElapsedSeconds(): number {
  const [startMs] = useState(Date.now);
  const [elapsedS, setElapsedS] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setElapsedS(Math.floor((Date.now() - startMs) / 1_000)), 500);
    return () => clearInterval(timer);
  }, [startMs]);
  return elapsedS;
}

/** The wallet's step; with several signatures it names the current one. */
export function signStepLabel(number: number, count: number): string {
  const which = count > 1 ? ` (${number} of ${count})` : "";
  return `Please sign with wallet...${which}`;
}

/** Named steps, the current one, the elapsed time and the usual time. */
export function SigningProgress<Id extends string>({
  steps,
  current,
  estimateS,
}: {
  steps: ReadonlyArray<NamedStep<Id>>;
  current: Id;
  estimateS: number;
}) {
  const elapsedS = useElapsedSeconds();
  const share = Math.min(0.97, elapsedS / estimateS);
  return (
    <div className="flex flex-col gap-4 py-2">
      <StepList steps={steps} current={current} />
      <div>
        <div aria-hidden className="h-1 overflow-hidden rounded-full bg-line">
          <div className="h-full rounded-full bg-soft" style={{ width: `${Math.round(share * 100)}%` }} />
        </div>
        <p className="mt-1.5 text-xs text-muted">
          {elapsedS} s. This usually takes about {estimateS} s, most of it in your wallet.
        </p>
      </div>
    </div>
  );
}

/** The same as a dialog that cannot be closed. */
export function SigningProgressDialog<Id extends string>({
  title,
  ...progress
}: {
  title: string;
  steps: ReadonlyArray<NamedStep<Id>>;
  current: Id;
  estimateS: number;
}) {
  return (
    <Modal open busy onClose={() => undefined} title={title}>
      <div className="px-5 py-4">
        <SigningProgress {...progress} />
      </div>
    </Modal>
  );
}
