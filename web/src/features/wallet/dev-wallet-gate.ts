import type { ServerConfig } from "@/shared/api/config";

/**
 * Loads the dev wallet where it belongs: in a build made for demos, at a server that runs one. Other builds do not
 * even contain it.
 */
export async function loadDevWallet(config: ServerConfig): Promise<void> {
  if (import.meta.env.VITE_DEV_WALLET !== "1") return;
  if (!config.demo || config.network === "bitcoin") return;
  const { registerDevWallet } = await import("./dev-wallet/register");
  registerDevWallet(config.network);
}
