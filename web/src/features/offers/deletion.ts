import type { ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { type CancelStep, cancelInstantOffers } from "./instant-cancel";
import { type BatchResult, cancelManualOffers } from "./offer-requests";

/** What became of one offer so far. */
export type OfferFate = { state: "waiting" | "deleted" } | { state: "kept"; reason: string };

export type DeletionStep = CancelStep | "manual";

/** How far several offers have come on their way out. */
export interface Deletion {
  /** As they were when it began: the list they came from forgets those that are gone. */
  offers: readonly MyOffer[];
  step: DeletionStep;
  phase: "running" | "ended";
  fates: ReadonlyMap<string, OfferFate>;
  /** What stopped a whole group, as a person reads it; nothing when each offer had its own answer. */
  failures: ReadonlyArray<{ title: string; detail: string }>;
  /** The person said no in the wallet, and nothing was deleted. */
  isCancelled: boolean;
}

export function isInstant({ loanProcessType }: MyOffer): boolean {
  return loanProcessType === "Instant";
}

export function begun(offers: readonly MyOffer[]): Deletion {
  return {
    offers,
    step: offers.some(isInstant) ? "nonce" : "manual",
    phase: "running",
    fates: new Map(offers.map(({ offerId }) => [offerId, { state: "waiting" }])),
    failures: [],
    isCancelled: false,
  };
}

/** The deletion with the server's answers for some of its offers. */
export function withResult(before: Deletion, { done, refused }: BatchResult): Deletion {
  const fates = new Map(before.fates);
  for (const offerId of done) fates.set(offerId, { state: "deleted" });
  for (const { offerId, reason } of refused) fates.set(offerId, { state: "kept", reason });
  return { ...before, fates };
}

/** The deletion after a whole group of offers met the same trouble. */
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
  /** What is left to be tried again. */
  kept: MyOffer[];
}

export function calculateSummary({ offers, fates }: Deletion): DeletionSummary {
  const isGone = ({ offerId }: MyOffer) => fates.get(offerId)?.state === "deleted";
  return {
    deleted: offers.filter(isGone).map(({ offerId }) => offerId),
    kept: offers.filter((offer) => !isGone(offer)),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "An unknown error occurred";
}

/** Deletes offers of both kinds and tells how far it has come. It never rejects: each offer has its fate in the end. */
export async function deleteOffers(
  offers: readonly MyOffer[],
  session: Session,
  config: ServerConfig | undefined,
  onChange: (deletion: Deletion) => void,
): Promise<Deletion> {
  let deletion = begun(offers);
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
      const result = await cancelInstantOffers(instant, session, config, onStep);
      change(withResult(deletion, result));
    } catch (error) {
      // Signed first: a person who says no in the wallet has still deleted nothing.
      if (error instanceof SignatureCancelled) {
        change({ ...deletion, phase: "ended", isCancelled: true });
        return deletion;
      }
      change(withFailure(deletion, instant, "Batch operation failed", reasonOf(error)));
    }
  }
  if (manual.length > 0) {
    change({ ...deletion, step: "manual" });
    try {
      const result = await cancelManualOffers(manual.map(({ offerId }) => offerId));
      change(withResult(deletion, result));
    } catch (error) {
      change(withFailure(deletion, manual, "Error deleting manual offers", reasonOf(error)));
    }
  }
  change({ ...deletion, phase: "ended" });
  return deletion;
}
