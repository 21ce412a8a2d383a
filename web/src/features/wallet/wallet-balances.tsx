import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { ownFundsQuery } from "@/shared/api/own-funds";
import { ownTokensQuery } from "@/shared/api/own-tokens";
import type { VaultTab } from "@/shared/dialogs/app-dialogs";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { CopyIconButton } from "@/shared/ui/copy-button";
import { useVault } from "@/shared/vault/use-vault";
import { VaultButton } from "@/shared/vault/vault-button";
import { holdingsText } from "./holdings-text";

/** The balances of the user's addresses and vault. They are fetched while the menu is open. */
export function WalletBalances({ session, onVault }: { session: Session; onVault: (tab: VaultTab) => void }) {
  const { payment, ordinals } = session.addresses;
  const funds = useQuery(ownFundsQuery(session.userId));
  const collateral = useQuery(ownCollateralQuery(session.userId));
  const tokens = useQuery(ownTokensQuery(session.userId));
  return (
    <dl className="flex flex-col gap-2 px-4 py-3">
      <AddressBalances label="Payments" address={payment.address}>
        {funds.data ? <Btc sats={funds.data.freeSats} /> : <Unknown hasFailed={funds.isError} />}
      </AddressBalances>
      <AddressBalances label="Ordinals" address={ordinals.address}>
        {collateral.data && !tokens.isPending ? (
          <span className="max-w-40 text-pretty">{holdingsText(collateral.data, tokens.data ?? null)}</span>
        ) : (
          <Unknown hasFailed={collateral.isError} />
        )}
      </AddressBalances>
      <Vault onOpen={onVault} />
    </dl>
  );
}

function AddressBalances({
  label,
  address,
  children,
}: {
  label: string;
  address: string;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-2 text-sm">
      <dt className="min-w-0 flex-1">
        <span className="block">{label}</span>
        <span title={address} className="font-mono text-xs text-muted">
          {shortenAddress(address, 5)}
        </span>
      </dt>
      <dd className="flex items-center gap-1 text-right">
        {children}
        <CopyIconButton
          text={address}
          what="address"
          label={`Copy ${label.toLowerCase()} address`}
          className="-mr-2"
        />
      </dd>
    </div>
  );
}

function Btc({ sats }: { sats: bigint }) {
  return (
    <span className="whitespace-nowrap">
      {formatBtc(sats, 6)} <span className="text-muted">BTC</span>
    </span>
  );
}

function Unknown({ hasFailed }: { hasFailed: boolean }) {
  return hasFailed ? (
    <span className="text-muted">not available</span>
  ) : (
    <span role="status" aria-label="Fetching" className="h-3 w-20 animate-shimmer rounded-full bg-raised" />
  );
}

const VAULT_BUTTON_CLASS = "-mr-2 h-7! px-2!";

function Vault({ onOpen }: { onOpen: (tab: VaultTab) => void }) {
  const vault = useVault();
  return (
    <div className="flex min-h-9 items-center gap-2 text-sm">
      <dt className="flex-1">Vault</dt>
      <dd className="flex items-center gap-2">
        {vault.status === "pending" && <span className="text-muted">Fetching vault...</span>}
        {vault.status === "failed" && <span className="text-muted">not available</span>}
        {vault.status === "open" && <Btc sats={vault.usableSats} />}
        {vault.status === "none" && (
          <Button size="small" className={VAULT_BUTTON_CLASS} onClick={() => onOpen("fund")}>
            Create vault
          </Button>
        )}
        <VaultButton size="small" className={VAULT_BUTTON_CLASS} onOpen={onOpen} />
      </dd>
    </div>
  );
}
