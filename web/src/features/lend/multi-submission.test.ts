import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InstantOfferRequest } from "./instant-submission";
import {
  calculateSummary,
  createdIds,
  currentRun,
  type MultiSubmission,
  reducer,
  type SubmissionAction,
} from "./multi-submission";

const offerRequest: InstantOfferRequest = {
  kind: "inscription",
  collectionSlug: "quiet-foxes-14d",
  principalSats: 5_000_000n,
  principalMinSats: null,
  fungibleAmount: null,
  ltvMax: 6_000,
  acceptNextTerm: true,
  replaces: null,
  borrower: null,
  goodUntilMs: null,
};
const succeeded: SubmissionAction = { type: "succeeded", offerId: "of_1" };
const failed: SubmissionAction = { type: "failed", error: "no" };

function submitted(
  offers: number,
  ...actions: Array<SubmissionAction | SubmissionAction["type"]>
): MultiSubmission {
  const started = {
    type: "started",
    offers: Array.from({ length: offers }, () => ({ offerRequest, label: "14 days" })),
  } as const;
  const read = (action: SubmissionAction | SubmissionAction["type"]) =>
    action === "succeeded"
      ? succeeded
      : ((typeof action === "string" ? { type: action } : action) as SubmissionAction);
  const submission = [started, ...actions.map(read)].reduce(reducer, null as MultiSubmission | null);
  if (!submission) throw new Error("it did not start");
  return submission;
}
const states = ({ runs }: MultiSubmission) => runs.map(({ state }) => state);

describe("making several offers", () => {
  it.each([
    ["begins with the first", [], ["running", "waiting", "waiting"], "running", 0, "Creating 3 offers"],
    ["goes on by itself", ["succeeded"], ["done", "running", "waiting"], "running", 1, "Creating 3 offers"],
    [
      "stops where one fails",
      ["succeeded", failed],
      ["done", "failed", "waiting"],
      "stopped",
      1,
      "Creating 3 offers",
    ],
    [
      "tries that one again",
      ["succeeded", failed, "continued"],
      ["done", "running", "waiting"],
      "running",
      1,
      "Creating 3 offers",
    ],
    [
      "leaves that one out",
      ["succeeded", failed, "skipped"],
      ["done", "skipped", "running"],
      "running",
      2,
      "Creating 3 offers",
    ],
    [
      "ends with all of them",
      ["succeeded", "succeeded", "succeeded"],
      ["done", "done", "done"],
      "finished",
      4,
      "Success",
    ],
    [
      "ends with some of them",
      [failed, "skipped", "succeeded", "succeeded"],
      ["skipped", "done", "done"],
      "finished",
      4,
      "2 of 3 offers created",
    ],
    [
      "ends with none of them",
      [failed, "skipped", failed, "skipped", failed, "skipped"],
      ["skipped", "skipped", "skipped"],
      "finished",
      4,
      "Unsuccessful",
    ],
  ] satisfies Array<
    [string, Array<SubmissionAction | SubmissionAction["type"]>, string[], string, number, string]
  >)("%s", (_, actions, expected, phase, currentStep, title) => {
    const submission = submitted(3, ...actions);
    expect(states(submission)).toEqual(expected);
    expect(submission.phase).toBe(phase);
    expect(calculateSummary(submission)).toMatchObject({ currentStep, totalSteps: 4, title });
  });

  it("uses the singular for one offer", () => {
    expect(calculateSummary(submitted(1)).title).toBe("Creating 1 offer");
  });

  it("keeps the reason of each one that was skipped", () => {
    expect(submitted(2, failed, "skipped").runs[0]?.error).toBe("no");
  });

  it("returns the ids of the created offers", () => {
    const second = { type: "succeeded", offerId: "of_2" } as const;
    expect(createdIds(submitted(3, "succeeded", failed, "skipped", second))).toEqual(["of_1", "of_2"]);
  });

  it("loses none of them under any actions", () => {
    const actions = fc.constantFrom<SubmissionAction>(
      succeeded,
      failed,
      { type: "continued" },
      { type: "skipped" },
      { type: "stepped", step: "signature" },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(actions), (offers, steps) => {
        const submission = submitted(offers, ...steps);
        const { created, remaining, currentStep, totalSteps } = calculateSummary(submission);
        expect(createdIds(submission)).toHaveLength(created);
        const skipped = submission.runs.filter(({ state }) => state === "skipped").length;
        expect(created + remaining + skipped).toBe(offers);
        expect(currentStep).toBeLessThanOrEqual(totalSteps);
        expect(submission.phase === "finished").toBe(remaining === 0);
        expect(currentRun(submission) === null).toBe(remaining === 0);
      }),
    );
  });
});
