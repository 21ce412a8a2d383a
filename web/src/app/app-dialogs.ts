import { FaucetDialog } from "@/features/wallet/lazy-faucet";
import type { AppDialogs } from "@/shared/dialogs/app-dialogs";
import { lazyDialog } from "@/shared/ui/lazy-dialog";

/** The dialogs that features open without importing each other, each loaded when it is needed. */
export const APP_DIALOGS: AppDialogs = {
  ConnectDialog: lazyDialog(() =>
    import("@/features/wallet/connect-dialog").then((module) => module.ConnectDialog),
  ),
  VaultDialog: lazyDialog(() => import("@/features/vault/vault-dialog").then((module) => module.VaultDialog)),
  CounterOfferDialog: lazyDialog(() =>
    import("@/features/negotiations/counter-offer-dialog").then((module) => module.CounterOfferDialog),
  ),
  FaucetDialog,
};
