import { queryOptions, useQuery } from "@tanstack/react-query";
import { configQuery } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import type { Session } from "@/shared/session/session-store";
import type { OwnVault } from "@/shared/vault/vault-query";
import { checkVaultAddress } from "@/shared/verifier/check-transactions";
import { Disagreement } from "@/shared/verifier/verdict";
import { fetchAttestedVault } from "./attested-vault";
import { type CheckedVault, recallCheckedVault, rememberCheckedVault } from "./checked-vault";

/** The state of the check of a vault's address. */
export type VaultCheck =
  | { status: "pending" }
  | { status: "checked"; vault: CheckedVault }
  /** The address is not of the user and of these signers: nothing may be paid to it. */
  | { status: "refused"; reason: string }
  /** Unknown, as a signer or the server did not answer. */
  | { status: "failed"; message: string; retry: () => void };

/**
 * Derives the address of the user's vault from the user's own key and the keys that the signers in its policy attest. Rejects
 * with a `Disagreement` if it is another address.
 */
export function vaultCheckQuery(session: Session, { vaultAddress: address, canisterId }: OwnVault) {
  const { userId } = session;
  return queryOptions({
    queryKey: ["vault", "check", userId, address, canisterId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal, client }): Promise<CheckedVault> => {
      const recalled = recallCheckedVault(userId, address);
      if (recalled !== null) return recalled;
      if (canisterId === null) throw new Error("Too few signers respond right now");
      const { network } = await client.ensureQueryData(configQuery);
      const { lenderId, policy, signers } = await fetchAttestedVault(signal);
      const agreement = await checkVaultAddress({
        network,
        lenderId,
        ordinalsKey: session.addresses.ordinals.pubKey,
        // Of the policy that is shown, and that the user's messages name.
        policyHash: canisterId,
        policy,
        signers,
        address,
      });
      const checked = { address, ...agreement };
      rememberCheckedVault(userId, checked);
      return checked;
    },
  });
}

/** The check of the user's vault, once per browser. */
export function useVaultCheck(session: Session, own: OwnVault): VaultCheck {
  const { data, error, refetch } = useQuery(vaultCheckQuery(session, own));
  if (data) return { status: "checked", vault: data };
  if (error instanceof Disagreement) return { status: "refused", reason: error.reason };
  if (error) return { status: "failed", message: errorText(error), retry: () => void refetch() };
  return { status: "pending" };
}
