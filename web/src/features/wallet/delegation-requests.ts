import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { fetchNonce } from "@/shared/api/nonce";
import { request } from "@/shared/api/request";
import { sats, text, timeMs } from "@/shared/api/wire";
import { actionMessage, type NewDelegation } from "@/shared/bitcoin/action-message";
import { signMessage } from "@/shared/bitcoin/message-signer";
import type { Session } from "@/shared/session/session-store";

const delegation = v.object({
  delegationId: text,
  programKey: text,
  state: v.picklist(["open", "expired", "revoking", "revoked"]),
  /** Slugs as offers name them; null for all. */
  collections: v.nullable(v.array(text)),
  principalMaxSats: sats,
  dailyMaxSats: sats,
  /** Within 24 hours, as the vault's signer counts; null if it does not answer. */
  lentWithinDaySats: v.nullable(sats),
  /** Hundredths of a percent for the whole term. */
  interestMinBps: v.number(),
  termMaxDays: v.number(),
  offerIds: v.array(text),
  createdAt: timeMs,
  validUntil: timeMs,
});
const delegations = v.object({ delegations: v.array(delegation) });
const revoked = v.object({ delegation, cancelledOfferIds: v.array(text) });

/** What the user's wallet has permitted to a program. */
export type Delegation = v.InferOutput<typeof delegation>;

/** While the vault's signer has yet to confirm a revocation, the list is fetched again. */
const UNCONFIRMED_INTERVAL_MS = 5_000;

/** The user's delegations: those that can be used first, then the latest. */
export function delegationsQuery(userId: string) {
  return queryOptions({
    queryKey: ["delegations", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/delegations", delegations, { signal }),
    select: ({ delegations: own }) =>
      own.toSorted(
        (a, b) => Number(b.state === "open") - Number(a.state === "open") || b.createdAt - a.createdAt,
      ),
    refetchInterval: ({ state }) =>
      state.data?.delegations.some((it) => it.state === "revoking") ? UNCONFIRMED_INTERVAL_MS : false,
  });
}

/** Signs the limits; resolves when the vault's signer has admitted them. */
export async function createDelegation(wanted: NewDelegation, session: Session): Promise<void> {
  const { address } = session.addresses.payment;
  const nonce = await fetchNonce("offers", address);
  const message = actionMessage({ type: "delegateQuotes", ...wanted }, { ...nonce, address });
  const signature = await signMessage(address, message);
  await request("POST", "/api/v1/delegations", delegation, { body: { message, signature } });
}

/** Revokes a delegation; resolves to the number of its offers that were cancelled. */
export async function revokeDelegation(delegationId: string): Promise<number> {
  const path = { delegation_id: delegationId };
  const answer = await request("DELETE", "/api/v1/delegations/{delegation_id}", revoked, { path });
  return answer.cancelledOfferIds.length;
}
