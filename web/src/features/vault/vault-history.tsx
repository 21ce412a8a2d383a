import { useInfiniteQuery } from "@tanstack/react-query";
import { formatAge, formatMoment } from "@/shared/format/age";
import { shortenAddress } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { useNow } from "@/shared/ui/use-now";
import { linesByTransaction, type TransactionLine } from "./by-transaction";
import { type HistoryLine, vaultHistoryQuery } from "./vault-requests";

const AGE_RENEWED_MS = 10_000;

/** What happened, and whether the balance grew by it, shrank, or stayed. */
const KIND: Record<HistoryLine["kind"], { label: string; sign: "+" | "−" | "" }> = {
  credited: { label: "Credited", sign: "+" },
  debited: { label: "Debited", sign: "−" },
  paid_in: { label: "Deposit", sign: "+" },
  came_back: { label: "Change received", sign: "+" },
  undone: { label: "Unconfirmed by a reorg, waiting", sign: "−" },
  left: { label: "Spent with your own key", sign: "−" },
  withdrawing: { label: "Withdrawal", sign: "−" },
  lent: { label: "Lent", sign: "−" },
  fee_bump: { label: "Fee bump", sign: "−" },
  settled: { label: "Final", sign: "" },
  given_back: { label: "Never confirmed, returned", sign: "+" },
};

/** Everything that happened to the vault, latest first. */
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
  const lines = linesByTransaction(history.data.pages.flatMap(({ data }) => data));
  if (lines.length === 0) {
    return <EmptyState title="Nothing yet">Deposits, loans and withdrawals appear here.</EmptyState>;
  }
  return (
    <div className="flex flex-col">
      <ul className="mt-3 flex flex-col">
        {lines.map((line) => (
          <Line
            key={`${line.at}/${line.kind}/${line.transactionId}/${line.vout}/${line.sats}`}
            line={line}
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

function Line({ line, now }: { line: TransactionLine; now: number }) {
  const { label, sign } = KIND[line.kind];
  return (
    <li className="flex min-h-14 items-center gap-3 border-b border-line px-5 py-2 text-sm last:border-b-0">
      <span className="flex min-w-0 flex-1 flex-col">
        <span>{label}</span>
        <span className="flex gap-2 text-xs text-muted">
          <time dateTime={new Date(line.at).toISOString()} title={formatMoment(line.at)}>
            {formatAge(line.at, now)} ago
          </time>
          {line.transactionId && (
            <span className="truncate font-mono" title={line.transactionId}>
              {shortenAddress(line.transactionId, 5)}
            </span>
          )}
          {line.outputCount > 1 && <span>{line.outputCount} outputs</span>}
        </span>
      </span>
      {line.sats !== null && (
        <span className="whitespace-nowrap">
          {sign}
          {formatBtc(line.sats, 8)} <span className="text-muted">BTC</span>
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
