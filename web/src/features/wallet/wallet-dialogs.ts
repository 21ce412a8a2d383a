import { create } from "zustand";
import type { VaultTab } from "@/features/vault/vault-dialog";
import type { ServerConfig } from "@/shared/api/config";
import type { Session } from "@/shared/session/session-store";

interface WalletDialogs {
  /** The open tab of the vault's dialog; null while it is closed. */
  vaultTab: VaultTab | null;
  isFaucetOpen: boolean;
}

/** The wallet's dialogs, opened from its menu and from elsewhere, and rendered in one place. */
export const useWalletDialogs = create<WalletDialogs>(() => ({ vaultTab: null, isFaucetOpen: false }));

export function openVault(vaultTab: VaultTab): void {
  useWalletDialogs.setState({ vaultTab });
}

export function openFaucet(): void {
  useWalletDialogs.setState({ isFaucetOpen: true });
}

/** Whether the faucet is offered: in a demo, for the dev wallet only. */
export function isFaucetOffered(config: ServerConfig | undefined, session: Session | null): boolean {
  return import.meta.env.VITE_DEV_WALLET === "1" && config?.demo === true && session?.wallet === "DevWallet";
}
