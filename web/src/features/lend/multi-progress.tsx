import { Check, CircleAlert, LoaderCircle, Minus } from "lucide-react";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { Modal } from "@/shared/ui/modal";
import { StepList } from "@/shared/ui/step-list";
import { OFFER_STEPS } from "./instant-submission";
import { calculateSummary, type MultiSubmission, type OfferRun } from "./multi-submission";

/** The progress of several offers. It cannot be closed while one is being created. */
export function MultiProgress({
  submission,
  onContinue,
  onSkip,
  onClose,
}: {
  submission: MultiSubmission;
  onContinue: () => void;
  onSkip: () => void;
  onClose: () => void;
}) {
  const { phase, runs, step } = submission;
  const { currentStep, totalSteps, created, title } = calculateSummary(submission);
  const isRunning = phase === "running";
  return (
    <Modal
      open
      busy={isRunning}
      onClose={onClose}
      title={title}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          {phase === "stopped" && (
            <>
              <Button onClick={onClose}>Close</Button>
              <Button onClick={onSkip}>Skip</Button>
              <Button variant="primary" onClick={onContinue}>
                Continue
              </Button>
            </>
          )}
          {isRunning && (
            <Button variant="primary" disabled>
              Loading...
            </Button>
          )}
          {phase === "finished" && (
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          )}
        </div>
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <div>
          <div
            role="progressbar"
            aria-label="Offers"
            aria-valuemin={0}
            aria-valuemax={totalSteps}
            aria-valuenow={currentStep}
            className="h-1 overflow-hidden rounded-full bg-line"
          >
            <div
              className="h-full rounded-full bg-soft transition-[width]"
              style={{ width: `${(100 * currentStep) / totalSteps}%` }}
            />
          </div>
          <p className="mt-1.5 text-xs text-muted" data-testid="multi-step">
            Step {Math.min(currentStep + 1, totalSteps)} of {totalSteps}, {created} created
          </p>
        </div>
        {isRunning && <StepList steps={OFFER_STEPS} current={step} />}
        {phase === "stopped" && (
          <p className="text-sm text-soft">
            What was created stays. Continue tries the failed one again, Skip leaves it out.
          </p>
        )}
        {phase === "finished" && created === 0 && (
          <p className="text-sm text-soft">No offer was created. Nothing has left your vault.</p>
        )}
        <ul className="flex flex-col divide-y divide-line rounded-card border border-line" aria-live="polite">
          {runs.map((run, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal offers differ only by position.
            <RunLine key={index} run={run} />
          ))}
        </ul>
      </div>
    </Modal>
  );
}

const STATE: Record<OfferRun["state"], string> = {
  waiting: "Waiting",
  running: "Being created",
  done: "Created",
  failed: "Failed",
  skipped: "Left out",
};

function RunLine({ run }: { run: OfferRun }) {
  const { state, error, label, offerRequest } = run;
  return (
    <li data-run={state} className="flex min-h-12 items-center gap-3 px-3 py-1.5 text-sm">
      <span className="flex size-5 shrink-0 items-center justify-center">
        {state === "done" && <Check size={16} aria-hidden className="text-up" />}
        {state === "running" && <LoaderCircle size={16} aria-hidden className="animate-spin" />}
        {state === "failed" && <CircleAlert size={16} aria-hidden className="text-down" />}
        {(state === "skipped" || state === "waiting") && (
          <Minus size={16} aria-hidden className="text-muted" />
        )}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{label}</span>
        <span className={classNames("text-xs", error ? "text-down" : "text-muted")}>
          {error ? `Error: ${error}` : STATE[state]}
        </span>
      </span>
      <span className="whitespace-nowrap">
        {offerRequest.principalMinSats !== null && <span className="text-muted">up to </span>}
        {formatBtc(offerRequest.principalSats)} <span className="text-muted">BTC</span>
      </span>
    </li>
  );
}
