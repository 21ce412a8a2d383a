import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { vaultQuery } from "./vault-query";

/** What is known of the lender's vault. */
export type VaultState =
  | { status: "signed out" }
  | { status: "pending" }
  | { status: "failed"; message: string; retry: () => void }
  | { status: "none" }
  | { status: "open"; address: string; usableSats: bigint; balanceSats: bigint };

/** The lender's vault, live. The feed brings the balance along; asking is only for the time before it does. */
export function useVault(): VaultState {
  const userId = useSession((state) => state.session?.userId ?? null);
  const me = useMe();
  const asked = useQuery({ ...vaultQuery(userId ?? ""), enabled: userId !== null && me.data === null });
  if (userId === null) return { status: "signed out" };
  const vault = me.data ? me.data.vault : asked.data;
  if (vault?.vaultAddress) {
    const { vaultAddress: address, usableBalanceSats: usableSats, balanceSats } = vault;
    return { status: "open", address, usableSats, balanceSats };
  }
  // Money that was credited before a vault was opened is no vault yet.
  if (vault !== undefined) return { status: "none" };
  if (asked.isError) {
    return { status: "failed", message: asked.error.message, retry: () => void asked.refetch() };
  }
  return { status: "pending" };
}
