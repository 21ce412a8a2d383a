import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { VaultTab } from "@/shared/dialogs/app-dialogs";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { EmptyState } from "@/shared/ui/empty-state";
import { Modal } from "@/shared/ui/modal";
import { type Choice, Segmented } from "@/shared/ui/segmented";
import { useVault, type VaultState } from "@/shared/vault/use-vault";
import { ownVaultQuery } from "@/shared/vault/vault-query";
import { CreateVault } from "./create-vault";
import { FundPanel } from "./fund-panel";
import { MoveVault } from "./move-vault";
import { PreviousVaults } from "./previous-vaults";
import { useSentPayments } from "./use-sent-payments";
import { VaultBalance } from "./vault-balance";
import { VaultGuarantees } from "./vault-guarantees";
import { VaultHistory } from "./vault-history";
import { WithdrawPanel } from "./withdraw-panel";

const TABS: ReadonlyArray<Choice<VaultTab>> = [
  { value: "fund", label: "Fund" },
  { value: "withdraw", label: "Withdraw" },
  { value: "history", label: "History" },
];

/**
 * Creates, funds and empties the vault that backs instant offers. It cannot be closed while a signature is
 * under way.
 */
export function VaultDialog({
  open,
  tab = "fund",
  onClose,
}: {
  open: boolean;
  /** The initial tab. */
  tab?: VaultTab;
  onClose: () => void;
}) {
  // Mounted only while open, so every opening starts with fresh state.
  return open ? (
    <DialogBoundary onClose={onClose}>
      <OpenVaultDialog tab={tab} onClose={onClose} />
    </DialogBoundary>
  ) : null;
}

function OpenVaultDialog({ tab, onClose }: { tab: VaultTab; onClose: () => void }) {
  const session = useSession((state) => state.session);
  const vault = useVault();
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Modal
      open
      onClose={onClose}
      busy={isBusy}
      title={vault.status === "none" ? "Create a vault" : "Vault"}
      description="Pays your instant offers the moment a borrower takes one"
    >
      {session === null || vault.status === "signed out" ? (
        <EmptyState title="Please sign in">A vault belongs to the wallet that you sign in with.</EmptyState>
      ) : vault.status === "pending" ? (
        <EmptyState title="Fetching vault...">Loading your balance.</EmptyState>
      ) : vault.status === "failed" ? (
        <EmptyState
          title="The vault could not be read"
          action={<Button onClick={vault.retry}>Try again</Button>}
        >
          {vault.message}. What is in it is not affected.
        </EmptyState>
      ) : vault.status === "none" ? (
        <CreateVault onBusy={setIsBusy} />
      ) : (
        <OwnVaultPanel session={session} vault={vault} first={tab} isBusy={isBusy} onBusy={setIsBusy} />
      )}
    </Modal>
  );
}

function OwnVaultPanel({
  session,
  vault,
  first,
  isBusy,
  onBusy,
}: {
  session: Session;
  vault: Extract<VaultState, { status: "open" }>;
  first: VaultTab;
  isBusy: boolean;
  onBusy: (isBusy: boolean) => void;
}) {
  const { userId } = session;
  const [tab, setTab] = useState(first);
  const own = useQuery(ownVaultQuery(userId));
  const sent = useSentPayments(userId);
  useRenewed(userId, vault);
  return (
    <>
      <VaultBalance
        usableSats={vault.usableSats}
        own={own.data ?? null}
        isPaymentInTransit={sent.isAnyInTransit}
      />
      {own.data?.newSigners ? (
        <MoveVault session={session} own={own.data} sent={sent} onBusy={onBusy} />
      ) : null}
      <div className="px-5 pt-4">
        <Segmented
          label="What to do"
          value={tab}
          choices={TABS.map((choice) => ({ ...choice, disabled: isBusy }))}
          onChange={setTab}
          className="w-full"
        />
      </div>
      {tab === "fund" &&
        (own.data ? (
          <FundPanel session={session} own={own.data} sent={sent} onBusy={onBusy} />
        ) : (
          <EmptyState
            title={own.isError ? "The address could not be read" : "Fetching the address..."}
            action={own.isError ? <Button onClick={() => void own.refetch()}>Try again</Button> : undefined}
          >
            {own.error ? `${errorText(own.error)}. What is in it is not affected.` : "One moment."}
          </EmptyState>
        ))}
      {tab === "withdraw" && (
        <WithdrawPanel session={session} usableSats={vault.usableSats} sent={sent} onBusy={onBusy} />
      )}
      {tab === "history" && <VaultHistory userId={userId} />}
      <VaultGuarantees session={session} own={own.data ?? null} />
      {own.data && own.data.previousVaults > 0 ? <PreviousVaults userId={userId} /> : null}
    </>
  );
}

/** Refetches the vault's details whenever its balance changes, because the feed carries the balance alone. */
function useRenewed(
  userId: string,
  { balanceSats, usableSats }: { balanceSats: bigint; usableSats: bigint },
): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the balances trigger it, and are not used in it.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["vault", userId] });
  }, [queries, userId, balanceSats, usableSats]);
}
