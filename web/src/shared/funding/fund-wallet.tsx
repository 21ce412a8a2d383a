import { useQuery } from "@tanstack/react-query";
import { Droplets } from "lucide-react";
import { useState } from "react";
import { configQuery } from "@/shared/api/config";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CopyButton } from "@/shared/ui/copy-button";
import { isFaucetOffered } from "./faucet";

/** The address to send bitcoin to, so that the wallet can lend it; in the demo, a button for the faucet. */
export function FundWallet({ session, isNeeded }: { session: Session; isNeeded: boolean }) {
  const { FaucetDialog } = useAppDialogs();
  const { data: config } = useQuery(configQuery);
  // Kept outside of the hint: the faucet's dialog outlives it, and closing it leaves the dialog that needs
  // the coins open.
  const [isFaucetOpen, setIsFaucetOpen] = useState(false);
  const { address } = session.addresses.payment;
  return (
    <>
      {isNeeded && (
        <section
          aria-label="Fund your payment address"
          className="flex flex-col items-start gap-2 rounded-control border border-line bg-ground px-3 py-2.5 text-sm"
        >
          <p className="text-soft">
            Send bitcoin to your payment address. It counts once it is confirmed and free.
          </p>
          <p className="font-mono text-xs break-all text-text select-all">{address}</p>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={address} what="address">
              Copy address
            </CopyButton>
            {FaucetDialog && isFaucetOffered(config, session) && (
              <Button size="small" onClick={() => setIsFaucetOpen(true)}>
                <Droplets size={14} aria-hidden />
                Get test coins
              </Button>
            )}
          </div>
        </section>
      )}
      {FaucetDialog && isFaucetOpen && <FaucetDialog onClose={() => setIsFaucetOpen(false)} />}
    </>
  );
}
