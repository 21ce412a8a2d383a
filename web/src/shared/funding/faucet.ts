import type { ServerConfig } from "@/shared/api/config";
import type { Session } from "@/shared/session/session-store";

/** Whether the faucet is offered: in a demo, for the dev wallet only. */
export function isFaucetOffered(config: ServerConfig | undefined, session: Session | null): boolean {
  return import.meta.env.VITE_DEV_WALLET === "1" && config?.demo === true && session?.wallet === "DevWallet";
}
