import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { vault } from "@/shared/api/my-offer";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import { sats, text } from "@/shared/api/wire";

/** Null where the server reports that there is no such vault. */
async function orNull<Answer>(vault: Promise<Answer>): Promise<Answer | null> {
  try {
    return await vault;
  } catch (error) {
    if (error instanceof RequestProblem && error.status === 404) return null;
    throw error;
  }
}

/** The lender's balance; null when there is no vault yet. The feed carries every change of it. */
export function vaultQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId],
    queryFn: ({ signal }) => orNull(request("GET", "/api/v1/vault", vault, { signal })),
  });
}

export const ownVault = v.object({
  vaultAddress: text,
  /** Destination of withdrawals. */
  paymentAddress: text,
  signerKeys: v.pipe(v.array(text), v.minLength(1), v.maxLength(7)),
  /** Number of signers that sign each payment. */
  signersRequired: v.pipe(v.number(), v.integer(), v.minValue(1)),
  lenderKey: text,
  /** Hash of the policy; null while the signer does not respond. */
  canisterId: v.nullable(text),
  /** One rule a line. */
  policy: v.nullable(v.pipe(v.string(), v.maxLength(20_000))),
  balanceSats: sats,
  usableBalanceSats: sats,
  waitingSats: sats,
  heldSats: sats,
  /** The signers of new vaults, while earlier ones hold this vault and it can move; null otherwise. */
  newSigners: v.nullable(v.object({ required: v.number(), count: v.number() })),
  /** Number of vaults that the lender has moved away from. */
  previousVaults: v.number(),
});
/** Addresses, keys, balances and policy of a vault. */
export type OwnVault = v.InferOutput<typeof ownVault>;

/** The lender's vault in detail; null until it is open. */
export function ownVaultQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId, "own"],
    queryFn: ({ signal }) => orNull(request("GET", "/api/v1/vaults/me", ownVault, { signal })),
  });
}
