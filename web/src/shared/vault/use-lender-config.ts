import { useQuery } from "@tanstack/react-query";
import { configQuery, type ServerConfig } from "@/shared/api/config";
import { useSession } from "@/shared/session/session-store";
import { ownVaultQuery } from "./vault-query";

/**
 * The server's configuration as it applies to the lender: `vaultSignerId` is of the signers that hold the lender's vault,
 * which may be earlier ones than those of new vaults. Undefined until it is known.
 */
export function useLenderConfig(): ServerConfig | undefined {
  const userId = useSession((state) => state.session?.userId ?? null);
  const { data: config } = useQuery(configQuery);
  const own = useQuery({ ...ownVaultQuery(userId ?? ""), enabled: userId !== null });
  if (!config || userId === null || own.isError) return config;
  if (own.data === undefined) return undefined;
  return own.data === null ? config : { ...config, vaultSignerId: own.data.canisterId };
}
