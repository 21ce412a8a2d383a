import type { Session } from "@/shared/session/session-store";
import type { OwnVault } from "@/shared/vault/vault-query";
import { DepositPanel } from "./deposit-panel";
import { FundByAddress } from "./fund-by-address";
import type { SentPayments } from "./use-sent-payments";
import { useVaultCheck } from "./vault-check";
import { VaultCheckNote } from "./vault-check-note";

/**
 * The ways to pay into the vault: none to an address that turns out to be another one, and none from elsewhere until it is
 * checked, as such a payment cannot be stopped here.
 */
export function FundPanel({
  session,
  own,
  sent,
  onBusy,
}: {
  session: Session;
  own: OwnVault;
  sent: SentPayments;
  onBusy: (isBusy: boolean) => void;
}) {
  const check = useVaultCheck(session, own);
  return (
    <div className="flex flex-col gap-5 px-5 py-5">
      <VaultCheckNote check={check} />
      {check.status !== "refused" && (
        <>
          <DepositPanel session={session} own={own} sent={sent} onBusy={onBusy} />
          <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or send to it from anywhere
          </p>
          <FundByAddress
            userId={session.userId}
            address={check.status === "checked" ? own.vaultAddress : null}
          />
        </>
      )}
    </div>
  );
}
