import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { vault } from "@/shared/api/my-offer";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import { sats, text } from "@/shared/api/wire";

/** Nothing, where the server says that there is no such vault. */
async function orNone<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestProblem && error.status === 404) return null;
    throw error;
  }
}

/** The lender's balance; null when there is no vault yet. The feed brings every change of it. */
export function vaultQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId],
    queryFn: ({ signal }) => orNone(request("GET", "/api/v1/vault", vault, { signal })),
  });
}

export const ownVault = v.object({
  vaultAddress: text,
  /** Where withdrawals go. */
  paymentAddress: text,
  signerKey: text,
  lenderKey: text,
  /** Hash of the policy; null while the signer gives no answer. */
  canisterId: v.nullable(text),
  /** One rule a line. */
  policy: v.nullable(v.pipe(v.string(), v.maxLength(20_000))),
  balanceSats: sats,
  usableBalanceSats: sats,
  waitingSats: sats,
  heldSats: sats,
});
/** What a vault is made of, what it holds, and what its signer keeps to. */
export type OwnVault = v.InferOutput<typeof ownVault>;

/** Everything about the lender's vault; null until it is open. */
export function ownVaultQuery(userId: string) {
  return queryOptions({
    queryKey: ["vault", userId, "own"],
    queryFn: ({ signal }) => orNone(request("GET", "/api/v1/vaults/me", ownVault, { signal })),
  });
}
