import { type ReactNode, useState } from "react";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { formatBtc } from "@/shared/format/sats";
import { ConnectButton } from "@/shared/session/connect-button";
import { Button } from "@/shared/ui/button";
import type { VaultState } from "@/shared/vault/use-vault";
import { VaultButton } from "@/shared/vault/vault-button";

/** The vault's usable balance, or the reason why there is none. */
export function VaultNotice({ vault }: { vault: VaultState }) {
  switch (vault.status) {
    case "signed out":
      return <p className="text-sm text-soft">Please connect your wallet and create a vault</p>;
    case "pending":
      return <p className="text-sm text-muted">Fetching vault...</p>;
    case "failed":
      return (
        <div
          role="alert"
          className="flex items-center justify-between gap-3 rounded-control bg-down-tint px-3 py-2"
        >
          <p className="text-sm text-down">Your vault could not be read: {vault.message}</p>
          <Button size="small" onClick={vault.retry}>
            Try again
          </Button>
        </div>
      );
    case "none":
      return (
        <div className="rounded-control bg-warn-tint px-3 py-2 text-sm">
          <p className="text-warn">You need to create your vault to lend</p>
          <p className="text-soft">Create a prefunded account to provide instant liquidity</p>
        </div>
      );
    case "open":
      return (
        <p className="flex justify-between gap-3 text-sm">
          <span className="text-soft">In your vault</span>
          <span>
            {formatBtc(vault.usableSats, 6)} <span className="text-muted">BTC</span>
          </span>
        </p>
      );
  }
}

/** The action itself once there is a funded vault; before that, the next step towards it. */
export function VaultGate({
  vault,
  isEdit,
  children,
}: {
  vault: VaultState;
  /** An existing offer can be edited although the vault is empty. */
  isEdit: boolean;
  children: ReactNode;
}) {
  const { VaultDialog } = useAppDialogs();
  const [isOpen, setIsOpen] = useState(false);
  const open = () => setIsOpen(true);
  const isReady = vault.status === "open" && (vault.usableSats > 0n || isEdit);
  if (vault.status === "signed out") return <ConnectButton />;
  return (
    <>
      {vault.status === "none" ? (
        <Button variant="primary" onClick={open}>
          Create vault
        </Button>
      ) : isReady ? (
        children
      ) : (
        <VaultButton variant="primary" onOpen={open} />
      )}
      {/* Outlives the button that opened it, which disappears once the vault is open or funded. */}
      <VaultDialog open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
