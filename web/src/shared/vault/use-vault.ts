import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { vaultQuery } from "./vault-query";

/** The known state of the lender's vault. */
export type VaultState =
  | { status: "signed out" }
  | { status: "pending" }
  | { status: "failed"; message: string; retry: () => void }
  | { status: "none" }
  | { status: "open"; address: string; usableSats: bigint; balanceSats: bigint };

/**
 * The lender's vault, live. The feed carries the balance; the request only covers the time before it does.
 */
export function useVault(): VaultState {
  const userId = useSession((state) => state.session?.userId ?? null);
  const me = useMe();
  const query = useQuery({ ...vaultQuery(userId ?? ""), enabled: userId !== null && me.data === null });
  if (userId === null) return { status: "signed out" };
  const vault = me.data ? me.data.vault : query.data;
  if (vault?.vaultAddress) {
    const { vaultAddress: address, usableBalanceSats: usableSats, balanceSats } = vault;
    return { status: "open", address, usableSats, balanceSats };
  }
  // A balance credited before a vault was opened does not make a vault.
  if (vault !== undefined) return { status: "none" };
  if (query.isError) {
    return { status: "failed", message: query.error.message, retry: () => void query.refetch() };
  }
  return { status: "pending" };
}
