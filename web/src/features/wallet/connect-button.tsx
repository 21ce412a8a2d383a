import { useState } from "react";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { lazyDialog } from "@/shared/ui/lazy-dialog";
import { useWalletSession } from "./wallet-session";

export const ConnectDialog = lazyDialog(() =>
  import("./connect-dialog").then((module) => module.ConnectDialog),
);

/** A button in place of an action that needs a session. */
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
  const [wasOpened, setWasOpened] = useState(false);
  const isRestoring = useWalletSession((state) => state.isRestoring);
  return (
    <>
      <Button
        variant={variant}
        size={size}
        wide={wide}
        disabled={isRestoring}
        onPointerEnter={ConnectDialog.preload}
        onFocus={ConnectDialog.preload}
        onClick={() => {
          setWasOpened(true);
          setIsOpen(true);
        }}
      >
        Connect
      </Button>
      {wasOpened && <ConnectDialog open={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  );
}
