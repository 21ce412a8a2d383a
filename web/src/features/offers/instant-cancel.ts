import type { ServerConfig } from "@/shared/api/config";
import type { MyOffer } from "@/shared/api/my-offer";
import { fetchNonce } from "@/shared/api/nonce";
import { type Action, actionMessage } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import { type BatchResult, sendCancelAll, sendInstantCancel } from "./offer-requests";

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
  const canisterId = signerOf(config);
  const ids = (isRune: boolean) =>
    offers
      .filter(({ collateralType }) => (collateralType === "rune") === isRune)
      .map(({ offerId }) => offerId);
  const ordinalOfferIds = ids(false);
  const runeOfferIds = ids(true);

  const { address, pubKey } = session.addresses.payment;
  const action = { type: "cancelOffers", ordinalOfferIds, runeOfferIds, vault: canisterId } as const;
  const { message, signature, nonce } = await signed(action, address, onStep);
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

/**
 * Cancels all instant offers, however many there are, by a message that names none of them. Rejects like
 * `cancelInstantOffers`.
 */
export async function cancelAllInstantOffers(
  session: Session,
  config: Pick<ServerConfig, "vaultSignerId">,
  onStep: (step: CancelStep) => void = () => undefined,
): Promise<BatchResult> {
  const action = { type: "cancelAllOffers", vault: signerOf(config) } as const;
  const { message, signature, nonce } = await signed(action, session.addresses.payment.address, onStep);
  return sendCancelAll({ message, signature, signature_timestamp: nonce.issuedS });
}

function signerOf({ vaultSignerId }: Pick<ServerConfig, "vaultSignerId">): string {
  if (!vaultSignerId) throw new Error("Vault canister hash not configured");
  return vaultSignerId;
}

async function signed(action: Action, address: string, onStep: (step: CancelStep) => void) {
  onStep("nonce");
  const nonce = await fetchNonce("offers", address).catch((error: unknown) => {
    throw new Error("Failed to get nonce", { cause: error });
  });
  const message = actionMessage(action, { ...nonce, address });
  onStep("signing");
  const signature = await signMessage(address, message);
  onStep("instant");
  return { message, signature, nonce };
}
