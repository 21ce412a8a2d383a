import { useState } from "react";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { Button, type ButtonSize, type ButtonVariant } from "@/shared/ui/button";
import { useSession } from "./session-store";

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
  const { ConnectDialog } = useAppDialogs();
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const isRestoring = useSession((state) => state.isRestoring);
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
