import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { fetchNonce } from "@/shared/api/nonce";
import { request } from "@/shared/api/request";
import { sats, text, timeMs } from "@/shared/api/wire";
import { actionMessage, type NewApiKey } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";

const apiKey = v.object({
  keyId: text,
  name: text,
  state: v.picklist(["open", "expired", "revoked"]),
  scopes: v.array(text),
  principalMaxSats: sats,
  outstandingMaxSats: sats,
  dailyMaxSats: sats,
  quotedTodaySats: sats,
  /** Slugs; null for all. */
  collections: v.nullable(v.array(text)),
  /** Networks in CIDR notation; null for any. */
  addresses: v.nullable(v.array(text)),
  createdAt: timeMs,
  validUntil: timeMs,
  revokedAt: v.nullable(timeMs),
  /** Null if the server has seen no use since its start. */
  lastUsedAt: v.nullable(timeMs),
});
const apiKeys = v.object({ keys: v.array(apiKey) });
const createdKey = v.object({ secret: text, key: apiKey });

/** An API key of the user, without its secret. */
export type ApiKey = v.InferOutput<typeof apiKey>;

/** The user's API keys: those that can be used first, then the latest. */
export function apiKeysQuery(userId: string) {
  return queryOptions({
    queryKey: ["api-keys", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/api-keys", apiKeys, { signal }),
    select: ({ keys }) =>
      keys.toSorted(
        (a, b) => Number(b.state === "open") - Number(a.state === "open") || b.createdAt - a.createdAt,
      ),
  });
}

/** Signs the terms and creates the key; resolves to its secret, which the server shows this once. */
export async function createApiKey(wanted: NewApiKey, session: Session): Promise<string> {
  const { address } = session.addresses.payment;
  const nonce = await fetchNonce("offers", address);
  const message = actionMessage({ type: "createApiKey", ...wanted }, { ...nonce, address });
  const signature = await signMessage(address, message);
  const { secret } = await request("POST", "/api/v1/me/api-keys", createdKey, {
    body: { message, signature },
  });
  return secret;
}

export async function revokeApiKey(keyId: string): Promise<void> {
  await request("DELETE", "/api/v1/me/api-keys/{key_id}", v.null(), { path: { key_id: keyId } });
}
