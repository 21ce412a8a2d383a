import type { ServerConfig } from "@/shared/api/config";

/**
 * Loads the dev wallet only in a build for demos and tests, and only when the server's coins are worthless.
 * Other builds do not contain it.
 */
export async function loadDevWallet(config: ServerConfig): Promise<void> {
  if (import.meta.env.VITE_DEV_WALLET !== "1") return;
  if (config.network !== "regtest") return;
  const { registerDevWallet } = await import("./dev-wallet/register");
  registerDevWallet(config.network);
}
