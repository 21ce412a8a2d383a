import { Popover } from "@base-ui/react/popover";
import { Bell, ChevronDown, Droplets, LogOut, WalletCards } from "lucide-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { Link } from "react-router";
import { VaultButton } from "@/features/vault/vault-button";
import { VaultDialog, type VaultTab } from "@/features/vault/vault-dialog";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { Button, buttonClass } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { CopyIconButton } from "@/shared/ui/copy-button";
import { notify } from "@/shared/ui/notify";
import { useVault } from "@/shared/vault/use-vault";
import { useFaucet } from "./use-faucet";
import { signOut, useWalletSession } from "./wallet-session";

/** Who is signed in, with what, and the way out. */
export function WalletMenu({ session }: { session: Session }) {
  const wallet = useWalletSession((state) => state.wallet);
  const [isOpen, setIsOpen] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const faucet = useFaucet(session.wallet);
  const [vaultTab, setVaultTab] = useState<VaultTab | null>(null);
  const { payment, ordinals } = session.addresses;
  const name = wallet?.accountName ?? wallet?.id ?? session.wallet;

  async function leave() {
    setIsLeaving(true);
    try {
      await signOut();
    } catch {
      notify.error(
        "You are signed out in this browser",
        "The server could not be told. Other devices stay signed in until their sessions end.",
      );
    }
  }

  function openVault(tab: VaultTab) {
    setIsOpen(false);
    setVaultTab(tab);
  }

  return (
    <>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger
          aria-label={`Wallet ${name}, ${payment.address}`}
          className={classNames(buttonClass({ variant: "secondary" }), "w-34 px-3")}
        >
          <span className="truncate font-mono text-xs">{shortenAddress(payment.address, 5)}</span>
          <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={8} align="end" collisionPadding={12}>
            <Popover.Popup className="w-72 rounded-card border border-line bg-surface text-text shadow-float outline-none">
              <div className="border-b border-line px-4 py-3">
                <Popover.Title className="truncate text-sm font-strong">{name}</Popover.Title>
                {session.hardwareWallet && <p className="text-xs text-muted">Hardware wallet</p>}
              </div>
              <dl className="flex flex-col gap-1 px-4 py-3">
                <AddressRow label="Payments" address={payment.address} />
                <AddressRow label="Ordinals" address={ordinals.address} />
                <VaultRow onOpen={openVault} />
              </dl>
              <div className="flex flex-col border-t border-line py-2">
                <MenuLink to="/portfolio" icon={WalletCards} onFollow={() => setIsOpen(false)}>
                  Portfolio
                </MenuLink>
                <MenuLink to="/settings/notifications" icon={Bell} onFollow={() => setIsOpen(false)}>
                  Notification settings
                </MenuLink>
                {faucet.isOffered && (
                  <Button
                    variant="quiet"
                    wide
                    onClick={() => {
                      setIsOpen(false);
                      faucet.open();
                    }}
                  >
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
      {faucet.dialog}
      <VaultDialog open={vaultTab !== null} tab={vaultTab ?? "fund"} onClose={() => setVaultTab(null)} />
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

function AddressRow({ label, address }: { label: string; address: string }) {
  return (
    <div className="flex h-8 items-center gap-2 text-sm">
      <dt className="flex-1 text-muted">{label}</dt>
      <dd className="flex items-center gap-1">
        <span title={address} className="font-mono text-xs">
          {shortenAddress(address, 6)}
        </span>
        <CopyIconButton
          text={address}
          what="address"
          label={`Copy ${label.toLowerCase()} address`}
          className="-mr-2"
        />
      </dd>
    </div>
  );
}

const VAULT_BUTTON_CLASS = "-mr-2 h-7! px-2!";

function VaultRow({ onOpen }: { onOpen: (tab: VaultTab) => void }) {
  const vault = useVault();
  return (
    <div className="flex h-8 items-center gap-2 text-sm">
      <dt className="flex-1 text-muted">Vault</dt>
      <dd className="flex items-center gap-2">
        {vault.status === "pending" && <span className="text-muted">Fetching vault...</span>}
        {vault.status === "failed" && <span className="text-muted">not available</span>}
        {vault.status === "open" && (
          <span>
            {formatBtc(vault.usableSats, 6)} <span className="text-muted">BTC</span>
          </span>
        )}
        {vault.status === "none" && (
          <Button size="small" className={VAULT_BUTTON_CLASS} onClick={() => onOpen("fund")}>
            Create vault
          </Button>
        )}
        <VaultButton size="small" className={VAULT_BUTTON_CLASS} onOpen={onOpen} />
      </dd>
    </div>
  );
}
