import { formatBps } from "@/shared/format/percent";
import { formatBtcExact } from "@/shared/format/sats";
import type { Delegation } from "./delegation-requests";

/** The limits of a delegation, and what is used of them, one line each. */
export function delegationFacts(own: Delegation): string[] {
  const used = own.lentWithinDaySats;
  const day = formatBtcExact(own.dailyMaxSats);
  return [
    `At most ${formatBtcExact(own.principalMaxSats)} BTC a loan, up to ${own.termMaxDays} days, at least ${formatBps(own.interestMinBps)} interest`,
    used === null
      ? `At most ${day} BTC within 24 hours; the vault's signer does not answer`
      : `${formatBtcExact(used)} of ${day} BTC lent within 24 hours`,
    ...(own.collections === null ? [] : [`Only in ${own.collections.join(", ")}`]),
    own.offerIds.length === 1 ? "1 open offer" : `${own.offerIds.length} open offers`,
  ];
}

/** The state of a delegation that cannot be used. */
export const STATE_TEXT = {
  expired: "Expired",
  revoking: "Waiting for the vault's signer",
  revoked: "Revoked",
} as const satisfies Record<Exclude<Delegation["state"], "open">, string>;
