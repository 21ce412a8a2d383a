import { lazyDialog } from "@/shared/ui/lazy-dialog";

/** The demo's faucet, loaded when it is opened; absent from builds without the dev wallet. */
export const FaucetDialog =
  import.meta.env.VITE_DEV_WALLET === "1"
    ? lazyDialog(() => import("./dev-wallet/faucet-dialog").then((module) => module.FaucetDialog))
    : null;
