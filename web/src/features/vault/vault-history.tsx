import { useInfiniteQuery } from "@tanstack/react-query";
import { formatAge, formatMoment } from "@/shared/format/age";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { EmptyState } from "@/shared/ui/empty-state";
import { useNow } from "@/shared/ui/use-now";
import { type LedgerRow, ledgerRows } from "./vault-ledger";
import { type HistoryLine, vaultHistoryQuery } from "./vault-requests";

const AGE_RENEWED_MS = 10_000;

/** The label of each kind of event. */
const LABEL: Record<HistoryLine["kind"], string> = {
  credited: "Credited",
  debited: "Debited",
  paid_in: "Deposit",
  came_back: "Change received",
  undone: "Unconfirmed after a reorg",
  left: "Withdrawn with your own key",
  withdrawing: "Withdrawal",
  moving: "Moved to other signers, fee",
  lent: "Lent",
  fee_bump: "Fee bump",
  settled: "Outgoing payment final",
  given_back: "Never confirmed, returned",
};

/** Every event of the vault, latest first. */
export function VaultHistory({ userId }: { userId: string }) {
  const history = useInfiniteQuery(vaultHistoryQuery(userId));
  const now = useNow(AGE_RENEWED_MS);
  if (history.isPending) return <Skeleton />;
  if (history.isError) {
    return (
      <EmptyState
        title="The history could not be read"
        action={<Button onClick={() => void history.refetch()}>Try again</Button>}
      >
        {history.error.message}. Your balance is not affected.
      </EmptyState>
    );
  }
  const rows = ledgerRows(history.data.pages.flatMap(({ data }) => data));
  if (rows.length === 0) {
    return <EmptyState title="Nothing yet">Deposits, loans and withdrawals appear here.</EmptyState>;
  }
  return (
    <div className="flex flex-col">
      <ul className="mt-3 flex flex-col">
        {rows.map((row) => (
          <Row
            key={`${row.at}/${row.kind}/${row.transactionId}/${row.vout}/${row.sats}`}
            row={row}
            now={now}
          />
        ))}
      </ul>
      {history.hasNextPage && (
        <div className="p-4">
          <Button wide disabled={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            {history.isFetchingNextPage ? "Fetching" : "Show more"}
          </Button>
        </div>
      )}
    </div>
  );
}

function Row({ row, now }: { row: LedgerRow; now: number }) {
  const isMoved = row.sign !== "";
  return (
    <li
      data-kind={row.kind}
      className="flex min-h-14 items-center gap-3 border-b border-line px-5 py-2 text-sm last:border-b-0"
    >
      <span className="flex min-w-0 flex-1 flex-col">
        <span className={classNames(!isMoved && "text-muted")}>{LABEL[row.kind]}</span>
        <span className="flex gap-2 text-xs text-muted">
          <time dateTime={new Date(row.at).toISOString()} title={formatMoment(row.at)}>
            {formatAge(row.at, now)} ago
          </time>
          {row.transactionId && (
            <span className="truncate font-mono" title={row.transactionId}>
              {shortenAddress(row.transactionId, 5)}
            </span>
          )}
          {row.outputCount > 1 && <span>{row.outputCount} outputs</span>}
          {row.isFinal && <span>Final</span>}
        </span>
        {row.changeSats > 0n && (
          <span className="text-xs text-muted">Change received: {formatBtc(row.changeSats, 8)} BTC</span>
        )}
      </span>
      {row.sats !== null && (
        <span className={classNames("whitespace-nowrap", !isMoved && "text-muted")}>
          {row.sign}
          {formatBtc(row.sats, 8)} <span className="text-muted">BTC</span>
        </span>
      )}
    </li>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label="Fetching" className="flex flex-col gap-px px-5 py-2">
      {["a", "b", "c", "d"].map((line) => (
        <span key={line} className="my-1 h-12 animate-shimmer rounded-control bg-raised" />
      ))}
    </div>
  );
}
