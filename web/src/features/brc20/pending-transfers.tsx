import { useQuery } from "@tanstack/react-query";
import { useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { pendingTransfersQuery } from "./brc20-requests";
import { transferTokens } from "./transfer-tokens";

/** The transfer inscriptions that wait for confirmation; renders nothing without any. */
export function PendingTransfers() {
  const userId = useSession((state) => state.session?.userId);
  const query = useQuery({ ...pendingTransfersQuery(userId ?? ""), enabled: userId !== undefined });
  const transfers = query.data ?? [];
  if (transfers.length === 0) return null;
  return (
    <section aria-label="Transfer notes" className="mt-8 flex flex-col gap-3">
      <div>
        <h2 className="flex items-center gap-2 text-base font-strong">
          Transfer notes <Badge>{transfers.length}</Badge>
        </h2>
        <p className="text-sm text-muted">You can pledge them once they are confirmed.</p>
      </div>
      <ul className="flex flex-col gap-2">
        {transfers.map((note) => (
          <li
            key={note.orderId}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-card border border-line bg-ground px-4 py-3 text-sm"
          >
            <span>{transferTokens(note.amount, note.ticker)}</span>
            <span className="min-w-0 truncate text-muted">{note.transactionId}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
