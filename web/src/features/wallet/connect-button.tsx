import { useState } from "react";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { ConnectDialog } from "./connect-dialog";
import { useWalletSession } from "./wallet-session";

/** Stands in place of an action that needs a session. */
export function ConnectButton({
  variant = "primary",
  size,
  wide,
}: {
  variant?: ButtonVariant;
  size?: ButtonSize;
  wide?: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const isRestoring = useWalletSession((state) => state.isRestoring);
  return (
    <>
      <Button
        variant={variant}
        size={size}
        wide={wide}
        disabled={isRestoring}
        onClick={() => setIsOpen(true)}
      >
        Connect
      </Button>
      <ConnectDialog open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
