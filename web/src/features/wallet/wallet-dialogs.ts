import { create } from "zustand";
import type { VaultTab } from "@/shared/dialogs/app-dialogs";

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
