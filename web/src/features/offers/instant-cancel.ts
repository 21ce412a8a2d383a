import type { ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { fetchNonce } from "@/shared/api/nonce";
import { actionMessage } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { type BatchResult, sendInstantCancel } from "./offer-requests";

/** The steps of a cancellation. */
export type CancelStep = "nonce" | "signing" | "instant";

/**
 * Cancels instant offers. A vault backs them, so the lender signs the list: one signature for all. Rejects
 * with an error that can be shown; nothing has been cancelled then.
 */
export async function cancelInstantOffers(
  offers: MyOffer[],
  session: Session,
  config: Pick<ServerConfig, "vaultSignerId">,
  onStep: (step: CancelStep) => void = () => undefined,
): Promise<BatchResult> {
  const canisterId = config.vaultSignerId;
  if (!canisterId) throw new Error("Vault canister hash not configured");
  const ids = (isRune: boolean) =>
    offers
      .filter(({ collateralType }) => (collateralType === "rune") === isRune)
      .map(({ offerId }) => offerId);
  const ordinalOfferIds = ids(false);
  const runeOfferIds = ids(true);

  const { address, pubKey } = session.addresses.payment;
  onStep("nonce");
  const nonce = await fetchNonce("offers", address).catch((error: unknown) => {
    throw new Error("Failed to get nonce", { cause: error });
  });
  const message = actionMessage(
    { type: "cancelOffers", ordinalOfferIds, runeOfferIds, vault: canisterId },
    { ...nonce, address },
  );
  onStep("signing");
  const signature = await signMessage(address, message);
  onStep("instant");
  return sendInstantCancel({
    userAddress: address,
    publicKey: pubKey,
    signature,
    signatureTimestamp: nonce.issuedS,
    nonce: nonce.nonce,
    canisterId,
    ordinalOfferIds,
    runeOfferIds,
    message,
  });
}
