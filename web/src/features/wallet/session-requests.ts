import * as v from "valibot";
import { fetchNonce } from "@/shared/api/nonce";
import { request } from "@/shared/api/request";
import { text, timeMs } from "@/shared/api/wire";
import type { Action } from "@/shared/bitcoin/action-message";
import { notificationPreferences } from "@/shared/session/notification-preferences";
import type { ConnectedWallet } from "./wallet-connector";

const addressPair = v.object({ address: text, pubKey: text });
const sessionAnswer = v.object({
  jwt: v.pipe(v.string(), v.maxLength(4_096)),
  expiresAt: timeMs,
  userId: text,
  hardwareWallet: v.boolean(),
  addresses: v.object({ payment: addressPair, ordinals: addressPair }),
  isOrdinalsProven: v.boolean(),
  notificationPreferences,
});
export type SessionAnswer = v.InferOutput<typeof sessionAnswer>;

/** Builds the text to sign for a session: it names both addresses and both keys of the session. */
export async function signInMessage({ addresses }: ConnectedWallet): Promise<string> {
  const { payment, ordinals } = addresses;
  const nonce = await fetchNonce("signIn", payment.address);
  const action: Action = {
    type: "signIn",
    ordinalsAddress: ordinals.address,
    ordinalsPublicKey: ordinals.pubKey,
    paymentAddress: payment.address,
    paymentPublicKey: payment.pubKey,
  };
  // Not a part of the first load: most visitors look before they sign in.
  const { actionMessage } = await import("@/shared/bitcoin/action-message");
  return actionMessage(action, { ...nonce, address: payment.address });
}

/** The signatures of one text by both addresses; the second is null where they are one address. */
export interface SignInSignatures {
  payment: string;
  ordinals: string | null;
}

/** Opens a session; the response also sets the cookie that refreshes it. */
export function openSession(
  wallet: ConnectedWallet,
  message: string,
  signatures: SignInSignatures,
): Promise<SessionAnswer> {
  const { payment, ordinals } = wallet.addresses;
  return request("POST", "/api/v1/session", sessionAnswer, {
    body: {
      message,
      signature: signatures.payment,
      ordinal_signature: signatures.ordinals,
      wallet: wallet.wallet,
      hardware_wallet: wallet.hardwareWallet,
      payment_address: payment.address,
      payment_pubkey: payment.pubKey,
      ordinal_address: ordinals.address,
      ordinal_pubkey: ordinals.pubKey,
    },
  });
}

/** Fetches a new token for the session of the cookie. */
export function refreshSession(): Promise<SessionAnswer> {
  return request("POST", "/api/v1/session/refresh", sessionAnswer);
}

/** Ends every session of the user, in all browsers. */
export async function closeSessions(): Promise<void> {
  await request("DELETE", "/api/v1/session", v.null());
}
