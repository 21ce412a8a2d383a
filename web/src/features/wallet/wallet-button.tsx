import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { configQuery } from "@/shared/api/config";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { ConnectButton } from "@/shared/session/connect-button";
import { useSession } from "@/shared/session/session-store";
import { lazyPart } from "@/shared/ui/lazy-part";
import { loadDevWallet } from "./dev-wallet-gate";
import { restoreSession, useWalletSession } from "./wallet-session";

const WalletMenu = lazyPart(() => import("./wallet-menu").then((module) => module.WalletMenu), SigningIn);

/**
 * The header's sign-in control: `Connect` when signed out, otherwise the wallet's menu. Rendered once on
 * every page.
 */
export function WalletButton() {
  const { ConnectDialog } = useAppDialogs();
  const session = useSession((state) => state.session);
  const isRestoring = useSession((state) => state.isRestoring);
  const isRequested = useWalletSession((state) => state.isConnectRequested);
  const { data: config } = useQuery(configQuery);

  useEffect(() => {
    void restoreSession();
  }, []);
  useEffect(() => {
    // Loaded before any signature, because a restored session may need one at once.
    if (config) void loadDevWallet(config);
  }, [config]);

  if (session) return <WalletMenu session={session} />;
  if (isRestoring) return <SigningIn />;
  return (
    <>
      <ConnectButton />
      {isRequested && (
        <ConnectDialog open onClose={() => useWalletSession.setState({ isConnectRequested: false })} />
      )}
    </>
  );
}

/** As wide as the menu that replaces it, so that nothing next to it moves. */
function SigningIn() {
  return (
    <span
      role="status"
      aria-label="Signing in"
      className="h-10 w-34 shrink-0 max-[374px]:w-28 animate-shimmer rounded-control bg-raised"
    />
  );
}
