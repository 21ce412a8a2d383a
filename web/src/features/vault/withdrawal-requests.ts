import * as v from "valibot";
import type { ServerConfig } from "@/shared/api/config";
import { request, satsToWire } from "@/shared/api/request";
import { count, sats, text } from "@/shared/api/wire";
import { actionMessage } from "@/shared/bitcoin/action-message";

const prepared = v.object({
  message: v.pipe(v.string(), v.maxLength(4_000)),
  signatureTimestamp: count,
  expires: count,
  /** The amount that leaves the vault, fee included. */
  sats,
  arrivesSats: sats,
  feeSats: sats,
  /** The maximum fee, which is part of the signed message. */
  feeMaxSats: sats,
  /** The change that returns to the vault, usable again once it is confirmed. */
  backSats: sats,
  outputs: count,
  paymentAddress: text,
});
/** A withdrawal that awaits a signature. */
export type PreparedWithdrawal = v.InferOutput<typeof prepared>;

/**
 * Prepares a withdrawal. Nothing is signed unverified: the server's text must equal the one that this app
 * builds for the same withdrawal to the user's own address.
 */
export async function prepareWithdrawal(withdrawalRequest: {
  /** Null for everything that one transaction can spend. */
  sats: bigint | null;
  feeRate: number;
  paymentAddress: string;
  config: Pick<ServerConfig, "vaultSignerId" | "domain" | "network">;
}): Promise<PreparedWithdrawal> {
  const { vaultSignerId, domain, network } = withdrawalRequest.config;
  if (!vaultSignerId) throw new Error("Vault canister hash not configured");
  const withdrawal = await request("POST", "/api/v1/vaults/me/withdrawals/prepare", prepared, {
    body: {
      fee_rate: withdrawalRequest.feeRate,
      ...(withdrawalRequest.sats === null ? {} : { sats: satsToWire(withdrawalRequest.sats) }),
    },
  });
  const nonce = /^Nonce: (\S+)$/m.exec(withdrawal.message)?.[1] ?? "";
  const expected = nonce
    ? actionMessage(
        {
          type: "withdraw",
          withdrawSats: withdrawal.sats,
          to: withdrawalRequest.paymentAddress,
          feeMaxSats: withdrawal.feeMaxSats,
          vault: vaultSignerId,
        },
        {
          domain,
          network,
          address: withdrawalRequest.paymentAddress,
          nonce,
          issuedS: withdrawal.signatureTimestamp,
          expiresS: withdrawal.expires,
        },
      )
    : null;
  const isRequested =
    (withdrawalRequest.sats === null || withdrawalRequest.sats === withdrawal.sats) &&
    withdrawal.feeMaxSats <= 2n * withdrawal.feeSats;
  if (withdrawal.message !== expected || !isRequested) {
    throw new Error("The message is not the withdrawal you asked for, so it must not be signed");
  }
  return withdrawal;
}

const sent = v.object({ transactionId: text, isSent: v.boolean() });
/** A withdrawal that is rebroadcast until it is confirmed. */
export type SentWithdrawal = v.InferOutput<typeof sent>;

export function submitWithdrawal(
  withdrawal: PreparedWithdrawal,
  signature: string,
  feeRate: number,
): Promise<SentWithdrawal> {
  return request("POST", "/api/v1/vaults/me/withdrawals", sent, {
    body: {
      message: withdrawal.message,
      signature,
      signature_timestamp: withdrawal.signatureTimestamp,
      fee_rate: feeRate,
    },
  });
}
