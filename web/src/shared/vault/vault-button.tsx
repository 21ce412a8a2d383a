import type { VaultTab } from "@/shared/dialogs/app-dialogs";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { useVault } from "./use-vault";

/**
 * `Fund vault` while there is nothing to lend, `Withdraw` after. Hidden without a vault, disabled until the
 * balance is known. The dialog is rendered elsewhere, so that it outlives the button.
 */
export function VaultButton({
  variant = "secondary",
  size,
  className,
  onOpen,
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
  onOpen: (tab: VaultTab) => void;
}) {
  const vault = useVault();
  if (vault.status === "signed out" || vault.status === "none") return null;
  const isFunded = vault.status === "open" && vault.usableSats > 0n;
  return (
    <Button
      variant={variant}
      size={size}
      className={className}
      disabled={vault.status !== "open"}
      title={vault.status === "failed" ? "Your balance could not be read" : undefined}
      onClick={() => onOpen(isFunded ? "withdraw" : "fund")}
    >
      {isFunded ? "Withdraw" : "Fund vault"}
    </Button>
  );
}
