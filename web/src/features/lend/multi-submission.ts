import type { InstantWish, OfferStep } from "./instant-submission";

/** One of several offers that are made one after another. */
export interface OfferRun {
  wish: InstantWish;
  /** Which bundle or term it is for, in words. */
  label: string;
  state: "waiting" | "running" | "done" | "failed" | "skipped";
  /** Why it failed; null when it did not. */
  error: string | null;
  /** What was made; null before it is. */
  offerId: string | null;
}

export interface MultiSubmission {
  runs: OfferRun[];
  /** The step of the offer that is being made. */
  step: OfferStep;
  /** `stopped`: one failed, and the person decides how to go on. */
  phase: "running" | "stopped" | "finished";
}

export type SubmissionAction =
  | { type: "started"; offers: ReadonlyArray<Pick<OfferRun, "wish" | "label">> }
  | { type: "stepped"; step: OfferStep }
  | { type: "succeeded"; offerId: string }
  | { type: "failed"; error: string }
  /** The one that failed is tried again. */
  | { type: "continued" }
  /** The one that failed is left out. */
  | { type: "skipped" };

/** The place of the offer that is, or is to be, made now; null when there is none. */
export function currentRun({ runs }: MultiSubmission): number | null {
  const place = runs.findIndex(({ state }) => state === "running" || state === "failed");
  return place === -1 ? null : place;
}

function withState(submission: MultiSubmission, change: Partial<OfferRun>): MultiSubmission {
  const place = currentRun(submission);
  return {
    ...submission,
    runs: submission.runs.map((run, index) => (index === place ? { ...run, ...change } : run)),
  };
}

/** Begins the next offer that waits; without one, everything has been tried. */
function advanced(submission: MultiSubmission): MultiSubmission {
  const next = submission.runs.findIndex(({ state }) => state === "waiting");
  if (next === -1) return { ...submission, phase: "finished" };
  const runs = submission.runs.map((run, index) =>
    index === next ? { ...run, state: "running" as const } : run,
  );
  return { runs, step: "preparing", phase: "running" };
}

/** What the submission is after an action; null before it started. */
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
  // What arrives late, or is pressed twice, changes nothing.
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
      const place = currentRun(submission);
      const error = place === null ? null : (submission.runs[place]?.error ?? null);
      return advanced(withState(submission, { state: "skipped", error }));
    }
  }
}

/** What the offers are called that were made. */
export function createdIds({ runs }: MultiSubmission): string[] {
  return runs.flatMap(({ offerId }) => (offerId === null ? [] : [offerId]));
}

export interface SubmissionSummary {
  created: number;
  failed: number;
  /** Neither made nor left out yet. */
  remaining: number;
  /** Steps that are behind, of one for each offer and one for the end. */
  currentStep: number;
  totalSteps: number;
  /** What the dialog says of all of it. */
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
