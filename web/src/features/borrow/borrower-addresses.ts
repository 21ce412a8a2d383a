import type { Session } from "@/shared/session/session-store";

/** Both addresses and their keys, all of which a loan needs. */
export function addressesOf({ addresses: { payment, ordinals } }: Session): string[] {
  return [payment.address, payment.pubKey, ordinals.address, ordinals.pubKey];
}
