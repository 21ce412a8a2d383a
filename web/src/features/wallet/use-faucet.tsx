import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { configQuery } from "@/shared/api/config";
import { lazyDialog } from "@/shared/ui/lazy-dialog";

// Other builds do not even contain it.
const FaucetDialog =
  import.meta.env.VITE_DEV_WALLET === "1"
    ? lazyDialog(() => import("./dev-wallet/faucet-dialog").then((module) => module.FaucetDialog))
    : null;

interface Faucet {
  /** In a demo, for the dev wallet: nobody else is given anything. */
  isOffered: boolean;
  open: () => void;
  dialog: ReactNode;
}

/** The way to something to lend and to pledge. The dialog stands apart from the menu that opens it. */
export function useFaucet(wallet: string): Faucet {
  const { data: config } = useQuery(configQuery);
  const [isOpen, setIsOpen] = useState(false);
  return {
    isOffered: FaucetDialog !== null && config?.demo === true && wallet === "DevWallet",
    open: () => setIsOpen(true),
    dialog: FaucetDialog && isOpen && <FaucetDialog onClose={() => setIsOpen(false)} />,
  };
}
