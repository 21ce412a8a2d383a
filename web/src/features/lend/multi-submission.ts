import type { InstantOfferRequest, OfferStep } from "./instant-submission";

/** One of several offers that are created one after another. */
export interface OfferRun {
  offerRequest: InstantOfferRequest;
  /** Label of its bundle or term. */
  label: string;
  state: "waiting" | "running" | "done" | "failed" | "skipped";
  /** The reason of its failure; null without one. */
  error: string | null;
  /** The created offer; null before that. */
  offerId: string | null;
}

export interface MultiSubmission {
  runs: OfferRun[];
  /** The step of the current offer. */
  step: OfferStep;
  /** `stopped`: one failed, and the user decides how to go on. */
  phase: "running" | "stopped" | "finished";
}

export type SubmissionAction =
  | { type: "started"; offers: ReadonlyArray<Pick<OfferRun, "offerRequest" | "label">> }
  | { type: "stepped"; step: OfferStep }
  | { type: "succeeded"; offerId: string }
  | { type: "failed"; error: string }
  /** Retries the failed one. */
  | { type: "continued" }
  /** Skips the failed one. */
  | { type: "skipped" };

/** The index of the current or next offer; null when there is none. */
export function currentRun({ runs }: MultiSubmission): number | null {
  const index = runs.findIndex(({ state }) => state === "running" || state === "failed");
  return index === -1 ? null : index;
}

function withState(submission: MultiSubmission, change: Partial<OfferRun>): MultiSubmission {
  const current = currentRun(submission);
  return {
    ...submission,
    runs: submission.runs.map((run, index) => (index === current ? { ...run, ...change } : run)),
  };
}

/** Starts the next waiting offer; without one, everything has been tried. */
function advanced(submission: MultiSubmission): MultiSubmission {
  const next = submission.runs.findIndex(({ state }) => state === "waiting");
  if (next === -1) return { ...submission, phase: "finished" };
  const runs = submission.runs.map((run, index) =>
    index === next ? { ...run, state: "running" as const } : run,
  );
  return { runs, step: "preparing", phase: "running" };
}

/** Applies an action to the submission; null before it started. */
export function reducer(
  submission: MultiSubmission | null,
  action: SubmissionAction,
): MultiSubmission | null {
  if (action.type === "started") {
    const runs = action.offers.map(
      (offer): OfferRun => ({ ...offer, state: "waiting", error: null, offerId: null }),
    );
    return advanced({ runs, step: "preparing", phase: "running" });
  }
  // Late or repeated actions change nothing.
  const expected = action.type === "continued" || action.type === "skipped" ? "stopped" : "running";
  if (submission?.phase !== expected) return submission;
  switch (action.type) {
    case "stepped":
      return { ...submission, step: action.step };
    case "succeeded":
      return advanced(withState(submission, { state: "done", error: null, offerId: action.offerId }));
    case "failed":
      return { ...withState(submission, { state: "failed", error: action.error }), phase: "stopped" };
    case "continued":
      return {
        ...withState(submission, { state: "running", error: null }),
        step: "preparing",
        phase: "running",
      };
    case "skipped": {
      const index = currentRun(submission);
      const error = index === null ? null : (submission.runs[index]?.error ?? null);
      return advanced(withState(submission, { state: "skipped", error }));
    }
  }
}

/** The ids of the created offers. */
export function createdIds({ runs }: MultiSubmission): string[] {
  return runs.flatMap(({ offerId }) => (offerId === null ? [] : [offerId]));
}

export interface SubmissionSummary {
  created: number;
  failed: number;
  /** The number of offers neither created nor skipped yet. */
  remaining: number;
  /** Completed steps, of one for each offer and one for the end. */
  currentStep: number;
  totalSteps: number;
  /** The texts of the dialog. */
  title: string;
}

export function calculateSummary({ runs, phase }: MultiSubmission): SubmissionSummary {
  const count = (...states: Array<OfferRun["state"]>) =>
    runs.filter(({ state }) => states.includes(state)).length;
  const created = count("done");
  const failed = count("failed", "skipped");
  const isFinished = phase === "finished";
  const title = !isFinished
    ? `Creating ${runs.length} ${runs.length === 1 ? "offer" : "offers"}`
    : created === 0
      ? "Unsuccessful"
      : created === runs.length
        ? "Success"
        : `${created} of ${runs.length} offers created`;
  return {
    created,
    failed,
    remaining: count("waiting", "running", "failed"),
    currentStep: count("done", "skipped") + (isFinished ? 1 : 0),
    totalSteps: runs.length + 1,
    title,
  };
}
