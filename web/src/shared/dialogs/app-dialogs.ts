import { type ComponentType, createContext, useContext } from "react";
import type { CounterOfferProps } from "@/shared/api/counter-offer";

export type VaultTab = "fund" | "withdraw" | "history";

/** The dialogs of one feature that others open. The app provides them, so that no feature imports another. */
export interface AppDialogs {
  ConnectDialog: ComponentType<{ open: boolean; onClose: () => void }> & { preload: () => void };
  VaultDialog: ComponentType<{ open: boolean; tab?: VaultTab; onClose: () => void }>;
  CounterOfferDialog: ComponentType<CounterOfferProps>;
  /** Null in builds without the dev wallet. */
  FaucetDialog: ComponentType<{ onClose: () => void }> | null;
}

export const AppDialogsContext = createContext<AppDialogs | null>(null);

export function useAppDialogs(): AppDialogs {
  const dialogs = useContext(AppDialogsContext);
  if (dialogs === null) throw new Error("AppDialogsContext has no provider");
  return dialogs;
}
