import * as v from "valibot";
import { type MyOffer, myOffer } from "@/shared/api/my-offer";
import { fetchNonce } from "@/shared/api/nonce";
import { request } from "@/shared/api/request";
import { actionMessage } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";

/** Accepts other terms for an instant offer. The signature lets the vault lend at them. */
export async function acceptTerms(offer: MyOffer, termId: string, session: Session): Promise<void> {
  const { address } = session.addresses.payment;
  const nonce = await fetchNonce("offers", address);
  const message = actionMessage(
    { type: "acceptTerm", offerId: offer.offerId, termId },
    { ...nonce, address },
  );
  const signature = await signMessage(address, message);
  await request("POST", "/api/v1/offers/instant/accept-term", v.object({ offer: myOffer }), {
    body: {
      term_id: termId,
      instant_offer_id: offer.offerId,
      signature,
      signature_timestamp: nonce.issuedS,
      message,
    },
    idempotencyKey: crypto.randomUUID(),
  });
}
