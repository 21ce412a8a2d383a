import type { Loan } from "@/shared/api/loan";
import { formatMoment } from "@/shared/format/age";
import { formatBlocks, formatRemaining } from "@/shared/format/countdown";
import { useNow } from "@/shared/ui/use-now";
import { type DueSince, dueSince } from "./due-since";
import { milestone } from "./loan-state";

const SECOND_MS = 1_000;

/**
 * The time until a loan's next event, in blocks too where they decide it, or since when it can be claimed.
 */
export function LoanDue({ loan, withBlocks = false }: { loan: Loan; withBlocks?: boolean }) {
  const now = useNow(SECOND_MS);
  const next = milestone(loan, now);
  if (!next) {
    const since = dueSince(loan, now);
    return since ? <Since since={since} /> : <span className="text-muted">–</span>;
  }
  const blocks = withBlocks && next.isByBlocks ? formatBlocks(next.atMs, now) : null;
  return (
    <time dateTime={new Date(next.atMs).toISOString()} title={formatMoment(next.atMs)}>
      {formatRemaining(next.atMs, now) ?? "0s"} <span className="text-muted">{next.label}</span>
      {blocks && (
        <span className="block text-xs text-muted" title="At ten minutes a block">
          {blocks}
        </span>
      )}
    </time>
  );
}

function Since({ since: { atMs, label } }: { since: DueSince }) {
  const moment = new Date(atMs).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (
    <time dateTime={new Date(atMs).toISOString()} title={formatMoment(atMs)}>
      <span className="text-muted">{label}</span> <span className="whitespace-nowrap">{moment}</span>
    </time>
  );
}
