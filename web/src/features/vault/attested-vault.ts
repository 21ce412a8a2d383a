import * as v from "valibot";
import { request } from "@/shared/api/request";
import { count, text } from "@/shared/api/wire";

/** A vault with the keys in its script, each attested by the identity of its signer. */
export const attestedVault = v.object({
  address: text,
  canisterId: text,
  policy: v.pipe(v.string(), v.maxLength(20_000)),
  lenderId: count,
  lenderKey: text,
  signersRequired: count,
  signers: v.pipe(
    v.array(v.object({ key: text, signer: v.nullable(text), attestation: v.nullable(v.string()) })),
    v.minLength(1),
    v.maxLength(7),
  ),
});

/** The user's vault as its signers describe it now. All of them must answer. */
export function fetchAttestedVault(signal: AbortSignal): Promise<v.InferOutput<typeof attestedVault>> {
  return request("GET", "/api/v1/vaults/me/attested", attestedVault, { signal });
}
