import type { ServerConfig } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { type CancelStep, cancelAllInstantOffers, cancelInstantOffers } from "./instant-cancel";
import { type BatchResult, cancelManualOffers } from "./offer-requests";

/** The result for one offer so far. */
export type DeletionResult = { state: "waiting" | "deleted" } | { state: "kept"; reason: string };

export type DeletionStep = CancelStep | "manual";

/** The progress of deleting several offers. */
export interface Deletion {
  /** The offers at the start: the list they came from drops those that are gone. */
  offers: readonly MyOffer[];
  step: DeletionStep;
  phase: "running" | "ended";
  results: ReadonlyMap<string, DeletionResult>;
  /** Errors that stopped a whole group, as text; empty when each offer had its own response. */
  failures: ReadonlyArray<{ title: string; detail: string }>;
  /** The user cancelled in the wallet, and nothing was deleted. */
  isCancelled: boolean;
}

export function isInstant({ loanProcessType }: MyOffer): boolean {
  return loanProcessType === "Instant";
}

export function newDeletion(offers: readonly MyOffer[]): Deletion {
  return {
    offers,
    step: offers.some(isInstant) ? "nonce" : "manual",
    phase: "running",
    results: new Map(offers.map(({ offerId }) => [offerId, { state: "waiting" }])),
    failures: [],
    isCancelled: false,
  };
}

/** The deletion with the server's responses for some of its offers. */
export function withResult(before: Deletion, { done, refused }: BatchResult): Deletion {
  const results = new Map(before.results);
  for (const offerId of done) results.set(offerId, { state: "deleted" });
  for (const { offerId, reason } of refused) results.set(offerId, { state: "kept", reason });
  return { ...before, results };
}

/** The deletion after a whole group of offers failed for the same reason. */
export function withFailure(
  before: Deletion,
  group: readonly MyOffer[],
  title: string,
  detail: string,
): Deletion {
  const refused = group.map(({ offerId }) => ({ offerId, reason: detail }));
  return {
    ...withResult(before, { done: [], refused }),
    failures: [...before.failures, { title, detail }],
  };
}

export interface DeletionSummary {
  deleted: string[];
  /** The offers left to retry. */
  kept: MyOffer[];
}

export function calculateSummary({ offers, results }: Deletion): DeletionSummary {
  const isGone = ({ offerId }: MyOffer) => results.get(offerId)?.state === "deleted";
  return {
    deleted: offers.filter(isGone).map(({ offerId }) => offerId),
    kept: offers.filter((offer) => !isGone(offer)),
  };
}

/**
 * Deletes offers of both kinds and reports its progress. It never rejects: each offer ends with a result. Where
 * they are all of the user's, the message to sign names none of them.
 */
export async function deleteOffers(
  offers: readonly MyOffer[],
  session: Session,
  config: ServerConfig | undefined,
  onChange: (deletion: Deletion) => void,
  areAll = false,
): Promise<Deletion> {
  let deletion = newDeletion(offers);
  const change = (next: Deletion) => {
    deletion = next;
    onChange(next);
  };
  onChange(deletion);
  const instant = offers.filter(isInstant);
  const manual = offers.filter((offer) => !isInstant(offer));

  if (instant.length > 0) {
    try {
      if (!config) throw new Error("Can not cancel offer right now.");
      const onStep = (step: CancelStep) => change({ ...deletion, step });
      const result = areAll
        ? await cancelAllInstantOffers(session, config, onStep)
        : await cancelInstantOffers(instant, session, config, onStep);
      change(withResult(deletion, result));
    } catch (error) {
      // Signed first: a user who cancels in the wallet has still deleted nothing.
      if (error instanceof SignatureCancelled) {
        change({ ...deletion, phase: "ended", isCancelled: true });
        return deletion;
      }
      change(withFailure(deletion, instant, "Batch operation failed", errorText(error)));
    }
  }
  if (manual.length > 0) {
    change({ ...deletion, step: "manual" });
    try {
      const result = await cancelManualOffers(manual.map(({ offerId }) => offerId));
      change(withResult(deletion, result));
    } catch (error) {
      change(withFailure(deletion, manual, "Error deleting manual offers", errorText(error)));
    }
  }
  change({ ...deletion, phase: "ended" });
  return deletion;
}
