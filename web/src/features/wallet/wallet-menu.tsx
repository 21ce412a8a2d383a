import { Popover } from "@base-ui/react/popover";
import { useQuery } from "@tanstack/react-query";
import { Bell, ChevronDown, Droplets, LogOut, WalletCards } from "lucide-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { Link } from "react-router";
import { configQuery } from "@/shared/api/config";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { shortenAddress } from "@/shared/format/name";
import { isFaucetOffered } from "@/shared/funding/faucet";
import type { Session } from "@/shared/session/session-store";
import { Button, buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { notify } from "@/shared/ui/notify";
import { WalletBalances } from "./wallet-balances";
import { openFaucet, openVault, useWalletDialogs } from "./wallet-dialogs";
import { signOut, useWalletSession } from "./wallet-session";

/** The menu of the signed-in user: account, balances and sign-out. */
export function WalletMenu({ session }: { session: Session }) {
  const { VaultDialog, FaucetDialog } = useAppDialogs();
  const wallet = useWalletSession((state) => state.wallet);
  const [isOpen, setIsOpen] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const { data: config } = useQuery(configQuery);
  const { vaultTab, isFaucetOpen } = useWalletDialogs();
  const { payment } = session.addresses;
  const name = wallet?.accountName ?? wallet?.id ?? session.wallet;

  async function leave() {
    setIsLeaving(true);
    try {
      await signOut();
    } catch {
      notify.error(
        "You are signed out in this browser",
        "The server could not be reached. Other devices stay signed in until their sessions expire.",
      );
    }
  }

  function leaveFor(open: () => void) {
    setIsOpen(false);
    open();
  }

  return (
    <>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger
          aria-label={`Wallet ${name}, ${payment.address}`}
          className={classNames(buttonClass({ variant: "secondary" }), "w-34 px-3 max-[374px]:w-28")}
        >
          <span className="truncate font-mono text-xs">{shortenAddress(payment.address, 5)}</span>
          <ChevronDown size={14} aria-hidden className="shrink-0 text-muted max-[374px]:hidden" />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={8} align="end" collisionPadding={12}>
            <Popover.Popup className="w-80 max-w-[calc(100vw-24px)] rounded-card border border-line bg-surface text-text shadow-float outline-none">
              <div className="border-b border-line px-4 py-3">
                <Popover.Title className="truncate text-sm font-strong">{name}</Popover.Title>
                {session.hardwareWallet && <p className="text-xs text-muted">Hardware wallet</p>}
              </div>
              <WalletBalances session={session} onVault={(tab) => leaveFor(() => openVault(tab))} />
              <div className="flex flex-col border-t border-line py-2">
                <MenuLink to="/portfolio" icon={WalletCards} onFollow={() => setIsOpen(false)}>
                  Portfolio
                </MenuLink>
                <MenuLink to="/settings/notifications" icon={Bell} onFollow={() => setIsOpen(false)}>
                  Notification settings
                </MenuLink>
                {isFaucetOffered(config, session) && (
                  <Button variant="quiet" wide onClick={() => leaveFor(openFaucet)}>
                    <Droplets size={16} aria-hidden />
                    Get test coins
                  </Button>
                )}
                <Button variant="quiet" wide disabled={isLeaving} onClick={() => void leave()}>
                  <LogOut size={16} aria-hidden />
                  {isLeaving ? "Signing out" : "Sign out"}
                </Button>
              </div>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {FaucetDialog && isFaucetOpen && (
        <FaucetDialog onClose={() => useWalletDialogs.setState({ isFaucetOpen: false })} />
      )}
      <VaultDialog
        open={vaultTab !== null}
        tab={vaultTab ?? "fund"}
        onClose={() => useWalletDialogs.setState({ vaultTab: null })}
      />
    </>
  );
}

function MenuLink({
  to,
  icon: Icon,
  onFollow,
  children,
}: {
  to: string;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  onFollow: () => void;
  children: ReactNode;
}) {
  return (
    <Link to={to} onClick={onFollow} className={buttonClass({ variant: "quiet", wide: true })}>
      <Icon size={16} aria-hidden />
      {children}
    </Link>
  );
}
