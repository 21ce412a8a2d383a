import * as v from "valibot";
import type { ServerConfig } from "@/shared/api/config";
import { request } from "@/shared/api/request";
import { count, sats, text } from "@/shared/api/wire";
import { actionMessage } from "@/shared/bitcoin/action-message";
import type { Session } from "@/shared/session/session-store";
import type { OwnVault } from "@/shared/vault/vault-query";
import { checkVaultAddress } from "@/shared/verifier/check-transactions";
import { attestedVault } from "./attested-vault";

const prepared = v.object({
  message: v.pipe(v.string(), v.maxLength(4_000)),
  signatureTimestamp: count,
  expires: count,
  /** The sum of the outputs that move. */
  sats,
  outputs: count,
  feeSats: sats,
  /** The maximum fee, which is part of the signed message. */
  feeMaxSats: sats,
  arrivesSats: sats,
  fromAddress: text,
  /** The amount at that address which stays. */
  staysSats: sats,
  to: attestedVault,
});
/** A move that awaits a signature, checked. */
export type PreparedMove = v.InferOutput<typeof prepared>;

/**
 * Prepares the move of the whole vault to the market's present signers. Nothing is signed unverified: the server's text must
 * equal the one that this app builds, and the address must follow from the user's own key and the keys that the signers of
 * the policy in the text attest.
 */
export async function prepareMove({
  own,
  session,
  config,
  feeRate,
}: {
  own: OwnVault;
  session: Session;
  config: Pick<ServerConfig, "domain" | "network" | "vaultSignerId">;
  feeRate: number;
}): Promise<PreparedMove> {
  const move = await request("POST", "/api/v1/vaults/me/moves/prepare", prepared, {
    body: { fee_rate: feeRate },
  });
  const { ordinals, payment } = session.addresses;
  const nonce = /^Nonce: (\S+)$/m.exec(move.message)?.[1] ?? "";
  const { canisterId: fromVault } = own;
  const expected =
    nonce && fromVault && config.vaultSignerId
      ? actionMessage(
          {
            type: "moveVault",
            fromVault,
            to: move.to.address,
            feeMaxSats: move.feeMaxSats,
            paymentAddress: payment.address,
            vault: config.vaultSignerId,
          },
          {
            domain: config.domain,
            network: config.network,
            address: ordinals.address,
            nonce,
            issuedS: move.signatureTimestamp,
            expiresS: move.expires,
          },
        )
      : null;
  const isSound =
    move.fromAddress === own.vaultAddress &&
    move.feeMaxSats <= 2n * move.feeSats &&
    move.arrivesSats + move.feeSats === move.sats;
  if (move.message !== expected || !isSound) {
    throw new Error("The message is not the move of your vault, so it must not be signed");
  }
  await checkVaultAddress({
    network: config.network,
    lenderId: move.to.lenderId,
    ordinalsKey: ordinals.pubKey,
    policyHash: config.vaultSignerId ?? "",
    policy: move.to.policy,
    signers: move.to.signers,
    address: move.to.address,
  });
  return move;
}

const sent = v.object({ transactionId: text, isSent: v.boolean() });

/** Submits a signed move, which is rebroadcast until it is confirmed. */
export function submitMove(
  move: PreparedMove,
  signature: string,
  feeRate: number,
): Promise<v.InferOutput<typeof sent>> {
  return request("POST", "/api/v1/vaults/me/moves", sent, {
    body: {
      message: move.message,
      signature,
      signature_timestamp: move.signatureTimestamp,
      fee_rate: feeRate,
    },
  });
}
