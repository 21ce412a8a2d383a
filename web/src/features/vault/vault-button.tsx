import { useState } from "react";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { useVault } from "@/shared/vault/use-vault";
import { VaultDialog } from "./vault-dialog";

/** `Fund vault` while there is nothing to lend, `Withdraw` after. Hidden without a vault, disabled until the balance is known. */
export function VaultButton({
  variant = "secondary",
  size,
  wide,
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
  wide?: boolean;
}) {
  const vault = useVault();
  const [isOpen, setIsOpen] = useState(false);
  if (vault.status === "signed out" || vault.status === "none") return null;
  const isFunded = vault.status === "open" && vault.usableSats > 0n;
  return (
    <>
      <Button
        variant={variant}
        size={size}
        wide={wide}
        disabled={vault.status !== "open"}
        title={vault.status === "failed" ? "Your balance could not be read" : undefined}
        onClick={() => setIsOpen(true)}
      >
        {isFunded ? "Withdraw" : "Fund vault"}
      </Button>
      <VaultDialog open={isOpen} tab={isFunded ? "withdraw" : "fund"} onClose={() => setIsOpen(false)} />
    </>
  );
}
