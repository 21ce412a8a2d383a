import { queryOptions, useQuery } from "@tanstack/react-query";
import { configQuery, type ServerConfig } from "@/shared/api/config";
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

/** Whose vault, and what is known of it. */
export interface VaultToCheck {
  session: Session;
  config: Pick<ServerConfig, "network">;
  own: Pick<OwnVault, "vaultAddress" | "canisterId">;
}

/**
 * Derives the address of the user's vault from the user's own key and the keys that the signers in its policy attest. Rejects
 * with a `Disagreement` if it is another address.
 */
export function vaultCheckQuery({ session, config, own }: VaultToCheck) {
  const { userId } = session;
  const { vaultAddress: address, canisterId } = own;
  return queryOptions({
    queryKey: ["vault", "check", userId, address],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<CheckedVault> => {
      const recalled = recallCheckedVault(userId, address);
      if (recalled !== null) return recalled;
      const { lenderId, policy, signers, canisterId: attestedFor } = await fetchAttestedVault(signal);
      const agreement = await checkVaultAddress({
        network: config.network,
        lenderId,
        ordinalsKey: session.addresses.ordinals.pubKey,
        // The policy that the user's messages name; while too few signers answer, the one that came with the keys.
        policyHash: canisterId ?? attestedFor,
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
export function useVaultCheck(session: Session, own: OwnVault | null): VaultCheck {
  const { data: config } = useQuery(configQuery);
  const toCheck = config && own ? { session, config, own } : null;
  const { data, error, refetch } = useQuery({
    ...vaultCheckQuery(toCheck ?? { session, config: NO_CONFIG, own: NO_VAULT }),
    enabled: toCheck !== null,
  });
  if (data) return { status: "checked", vault: data };
  if (error instanceof Disagreement) return { status: "refused", reason: error.reason };
  if (error) return { status: "failed", message: errorText(error), retry: () => void refetch() };
  return { status: "pending" };
}

const NO_CONFIG = { network: "bitcoin" } as const;
const NO_VAULT = { vaultAddress: "", canisterId: null };
