import { useRef, useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import { notify } from "@/shared/ui/notify";
import type { Verify } from "@/shared/verification/use-verification";
import { type InstantLender, type OfferStep, placeInstantOffer } from "./instant-submission";
import {
  calculateSummary,
  currentRun,
  type MultiSubmission,
  type OfferRun,
  reducer,
  type SubmissionAction,
} from "./multi-submission";

/** Creates several instant offers, one signature after another, and stops at a failure. */
export function useMultiSubmission(lender: InstantLender | null, verify: Verify) {
  const [submission, setSubmission] = useState<MultiSubmission | null>(null);
  // The loop runs across renders, so it reads the current state from here.
  const latest = useRef<MultiSubmission | null>(null);

  function dispatch(action: SubmissionAction): void {
    latest.current = reducer(latest.current, action);
    setSubmission(latest.current);
  }

  async function run(): Promise<void> {
    while (latest.current?.phase === "running" && lender) {
      const index = currentRun(latest.current);
      const offerRequest = index === null ? null : (latest.current.runs[index]?.offerRequest ?? null);
      if (index === null || !offerRequest) return;
      try {
        const onStep = (step: OfferStep) => dispatch({ type: "stepped", step });
        const offerId = await placeInstantOffer(offerRequest, lender, onStep, verify);
        dispatch({ type: "succeeded", offerId });
      } catch (error) {
        const reason = errorText(error);
        if (error instanceof SignatureCancelled) notify.warning(reason);
        else notify.error(`Failed to create offer ${index + 1}`, reason);
        dispatch({ type: "failed", error: reason });
      }
    }
    announce();
  }

  function announce(): void {
    if (latest.current?.phase !== "finished") return;
    const { created } = calculateSummary(latest.current);
    if (created > 0) notify.success(`${created} offer(s) created successfully!`);
  }

  return {
    submission,
    start: (offers: ReadonlyArray<Pick<OfferRun, "offerRequest" | "label">>) => {
      dispatch({ type: "started", offers });
      void run();
    },
    /** Retries the failed one, and goes on. */
    goOn: () => {
      dispatch({ type: "continued" });
      void run();
    },
    /** Skips the failed one, and goes on. */
    skip: () => {
      dispatch({ type: "skipped" });
      void run();
    },
  };
}
