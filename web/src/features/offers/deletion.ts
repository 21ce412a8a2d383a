import type { ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { notify } from "@/shared/ui/notify";
import { cancelInstantOffers } from "./instant-cancel";
import { type BatchResult, cancelManualOffers } from "./offer-requests";

const byProcess = (offers: MyOffer[], process: MyOffer["loanProcessType"]) =>
  offers.filter(({ loanProcessType }) => loanProcessType === process);

/** A person who said no knows it; everything else is an error. */
function failed(title: string, error: unknown): false {
  if (error instanceof SignatureCancelled) notify.warning(error.message);
  else notify.error(title, error instanceof Error ? error.message : "An unknown error occurred");
  return false;
}

function refused(title: string, detail?: string | null): false {
  notify.error(title, detail ?? undefined);
  return false;
}

/** Cancels one offer and says how it went. True when it is gone. */
export async function cancelOffer(
  offer: MyOffer,
  session: Session | null,
  config: ServerConfig | undefined,
): Promise<boolean> {
  if (!session) return refused("Please sign in");
  const isInstant = offer.loanProcessType === "Instant";
  if (isInstant && !config) return refused("Can not cancel offer right now.");
  try {
    const result =
      isInstant && config
        ? await cancelInstantOffers([offer], session, config)
        : await cancelManualOffers([offer.offerId]);
    if (result.done.length > 0) {
      notify.success(isInstant ? "Offer cancelled successfully" : "Offer deleted");
      return true;
    }
    return refused(isInstant ? "Failed to cancel offer" : "Failed to delete offer", result.refusal);
  } catch (error) {
    const title = isInstant ? "Could not cancel offer" : "An error occurred while deleting the offer";
    return failed(title, error);
  }
}

/** Deletes offers of both kinds and says how it went. Gives back the ids of those that are gone. */
export async function deleteOffers(
  offers: MyOffer[],
  session: Session | null,
  config: ServerConfig | undefined,
): Promise<string[]> {
  if (!session) {
    notify.error("Please sign in");
    return [];
  }
  const manual = byProcess(offers, "Manual");
  const instant = byProcess(offers, "Instant");
  const done: string[] = [];

  async function run(task: () => Promise<BatchResult>, refusedTitle: string, failedTitle: string) {
    try {
      const result = await task();
      done.push(...result.done);
      if (result.refused.length > 0) refused(refusedTitle, result.refusal);
    } catch (error) {
      failed(failedTitle, error);
    }
  }

  if (instant.length > 0) {
    // Signed first: a person who says no in the wallet has still deleted nothing.
    await run(
      async () => {
        if (!config) throw new Error("Can not cancel offer right now.");
        return cancelInstantOffers(instant, session, config);
      },
      "Failed to cancel offer",
      "Batch operation failed",
    );
    if (done.length === 0) return done;
  }
  if (manual.length > 0) {
    await run(
      () => cancelManualOffers(manual.map(({ offerId }) => offerId)),
      "Failed to delete manual offers",
      "Error deleting manual offers",
    );
  }
  if (done.length > 0) notify.success(`Successfully deleted ${done.length} offer(s)`);
  return done;
}
