import type { Session } from "@/shared/session/session-store";

/** The two addresses and their keys, all of which a loan needs. */
export function addressesOf({ addresses: { payment, ordinals } }: Session): string[] {
  return [payment.address, payment.pubKey, ordinals.address, ordinals.pubKey];
}
