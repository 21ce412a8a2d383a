import * as v from "valibot";
import { UNKNOWN_ERROR } from "@/shared/api/error-text";
import type { Wire } from "@/shared/api/operation";
import { request } from "@/shared/api/request";
import { text } from "@/shared/api/wire";

/** The server's limit of offers per request. */
const BATCH_MAX = 100;

const results = v.object({
  results: v.array(
    v.object({
      offerId: text,
      ok: v.boolean(),
      error: v.nullish(v.object({ title: v.string(), detail: v.nullish(v.string()) })),
    }),
  ),
});

/** The results of a request about several offers. */
export interface BatchResult {
  done: string[];
  /** The refused offers, each with the reason. */
  refused: Array<{ offerId: string; reason: string }>;
}

export function batchResult(answers: Array<v.InferOutput<typeof results>>): BatchResult {
  const all = answers.flatMap((answer) => answer.results);
  return {
    done: all.filter(({ ok }) => ok).map(({ offerId }) => offerId),
    refused: all
      .filter(({ ok }) => !ok)
      .map(({ offerId, error }) => ({
        offerId,
        reason: error?.detail ?? error?.title ?? UNKNOWN_ERROR,
      })),
  };
}

async function inBatches(
  path: "/api/v1/offers/manual/cancel" | "/api/v1/offers/pause" | "/api/v1/offers/resume",
  offerIds: string[],
): Promise<BatchResult> {
  const answers = [];
  for (let start = 0; start < offerIds.length; start += BATCH_MAX) {
    const batch = offerIds.slice(start, start + BATCH_MAX);
    answers.push(
      await request("POST", path, results, {
        body: { offerIds: batch },
        idempotencyKey: crypto.randomUUID(),
      }),
    );
  }
  return batchResult(answers);
}

export const cancelManualOffers = (offerIds: string[]) => inBatches("/api/v1/offers/manual/cancel", offerIds);
export const pauseOffers = (offerIds: string[]) => inBatches("/api/v1/offers/pause", offerIds);
export const resumeOffers = (offerIds: string[]) => inBatches("/api/v1/offers/resume", offerIds);

/** Sets the time until which an offer is good; null makes it good until it is cancelled. */
export async function setGoodUntil(offerId: string, goodUntil: number | null): Promise<BatchResult> {
  const answer = await request("POST", "/api/v1/offers/good-until", results, {
    body: { offerIds: [offerId], goodUntil },
    idempotencyKey: crypto.randomUUID(),
  });
  return batchResult([answer]);
}

/** Sends a signed cancellation of all instant offers. */
export async function sendCancelAll(body: Wire["SignedCancel"]): Promise<BatchResult> {
  const answer = await request("POST", "/api/v1/offers/instant/cancel-all", results, {
    body,
    idempotencyKey: crypto.randomUUID(),
  });
  return batchResult([answer]);
}

/** Sends a signed cancellation of instant offers. */
export async function sendInstantCancel(body: Wire["BatchCancel"]): Promise<BatchResult> {
  const answer = await request("POST", "/api/v1/offers/instant/batch-cancel", results, {
    body,
    idempotencyKey: crypto.randomUUID(),
  });
  return batchResult([answer]);
}
