import * as v from "valibot";
import { fetchNonce } from "@/shared/api/nonce";
import type { Wire } from "@/shared/api/operation";
import { request, satsToWire } from "@/shared/api/request";
import { actionMessage, type NewRequest } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";
import type { Verify } from "@/shared/verification/use-verification";
import { sendSigned } from "@/shared/verification/verified";

const placed = v.object({ requestId: v.string() });

/** Signs and places a borrow request; resolves to its id. Rejects with an error that can be shown. */
export async function placeRequest(asked: NewRequest, session: Session, verify: Verify): Promise<string> {
  const { requestId } = await sendSigned(
    () => sign(asked, session),
    (signed, token) => send(asked, signed, token),
    verify,
  );
  return requestId;
}

interface SignedRequest {
  message: string;
  signature: string;
  signatureTimestamp: number;
}

async function sign(asked: NewRequest, session: Session): Promise<SignedRequest> {
  const { address } = session.addresses.payment;
  const nonce = await fetchNonce("offers", address);
  const message = actionMessage({ type: "requestLoan", ...asked }, { ...nonce, address });
  return { message, signature: await signMessage(address, message), signatureTimestamp: nonce.issuedS };
}

/** The collateral as the server reads it: several inscriptions are in the order that was signed. */
export function wirePledge({
  inscriptionIds = [],
  fungibleAmount,
}: Pick<NewRequest, "inscriptionIds" | "fungibleAmount">): Pick<
  Wire["PlaceRequest"],
  "inscriptionId" | "inscriptionIds" | "fungibleAmount"
> {
  if (fungibleAmount !== undefined) return { fungibleAmount: fungibleAmount.toString() };
  const [first, ...others] = inscriptionIds;
  return others.length === 0 ? { inscriptionId: first } : { inscriptionIds: [...inscriptionIds] };
}

function send(asked: NewRequest, signed: SignedRequest, token: string | null) {
  const { collectionSlug, inscriptionIds, fungibleAmount, principalSats, goodUntilS, ...terms } = asked;
  return request("POST", "/api/v1/requests", placed, {
    body: {
      ...terms,
      ...signed,
      collection: collectionSlug,
      ...wirePledge({ inscriptionIds, fungibleAmount }),
      principalAmountSats: satsToWire(principalSats),
      goodUntil: goodUntilS * 1_000,
      ...(token === null ? {} : { cf_turnstile_response: token }),
    },
    idempotencyKey: crypto.randomUUID(),
  });
}

/** Withdraws a request that no lender has filled. */
export async function withdrawRequest(requestId: string): Promise<void> {
  await request("DELETE", "/api/v1/requests/{request_id}", v.null(), { path: { request_id: requestId } });
}
