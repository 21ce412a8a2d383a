import type { ServerConfig } from "@/shared/api/config";

/**
 * Loads the dev wallet where it belongs: in a build made for demos and tests, at a server of worthless coins. Other builds
 * do not even contain it.
 */
export async function loadDevWallet(config: ServerConfig): Promise<void> {
  if (import.meta.env.VITE_DEV_WALLET !== "1") return;
  if (config.network !== "regtest") return;
  const { registerDevWallet } = await import("./dev-wallet/register");
  registerDevWallet(config.network);
}
