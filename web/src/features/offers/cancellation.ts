import type { ServerConfig } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import type { MyOffer } from "@/shared/api/my-offer";
import { RequestProblem } from "@/shared/api/problem";
import { SignatureCancelled } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { notify } from "@/shared/ui/notify";
import { cancelInstantOffers } from "./instant-cancel";
import { cancelManualOffers } from "./offer-requests";

/** Reports a failure; a cancelled signature is no error. */
function failed(title: string, error: unknown): false {
  if (error instanceof SignatureCancelled) notify.warning(error.message);
  else notify.error(title, errorText(error));
  return false;
}

function refused(title: string, detail?: string): false {
  notify.error(title, detail);
  return false;
}

/** Cancels one offer and reports the result. True when it is gone. */
export async function cancelOffer(
  offer: MyOffer,
  session: Session | null,
  config: ServerConfig | undefined,
): Promise<boolean> {
  if (!session) return refused("Please sign in");
  const isInstant = offer.loanProcessType === "Instant";
  const refusalTitle = isInstant ? "Failed to cancel offer" : "Failed to delete offer";
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
    return refused(refusalTitle, result.refused[0]?.reason);
  } catch (error) {
    const failureTitle = isInstant ? "Could not cancel offer" : "An error occurred while deleting the offer";
    return failed(error instanceof RequestProblem && error.isRefusal ? refusalTitle : failureTitle, error);
  }
}
