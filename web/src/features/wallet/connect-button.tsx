import { useState } from "react";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { ConnectDialog } from "./connect-dialog";

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
  return (
    <>
      <Button variant={variant} size={size} wide={wide} onClick={() => setIsOpen(true)}>
        Connect
      </Button>
      <ConnectDialog open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}
