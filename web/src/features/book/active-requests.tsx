import type { BorrowRequest } from "@/shared/api/borrow-request";
import { type Collection, decimalsOf } from "@/shared/api/collection";
import { inscriptionsText, isSeveral } from "@/shared/api/pledge";
import { pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { requestLtvBps, termText } from "@/shared/requests/request-ladder";
import { Button } from "@/shared/ui/button";
import { Changing } from "@/shared/ui/changing";
import { type BookColumn, BookTable } from "./book-table";

/** What borrowers ask for against this collection, the best one for lenders first. */
export function ActiveRequests({
  row,
  lines,
  userId,
  negotiatedIds,
  onFill,
}: {
  row: Collection;
  lines: readonly BorrowRequest[];
  userId: string | null;
  /** The requests that the user negotiates about. */
  negotiatedIds: ReadonlySet<string>;
  onFill: (asked: BorrowRequest) => void;
}) {
  const columns: BookColumn<BorrowRequest>[] = [
    {
      id: "principal",
      label: "Principal",
      width: 30,
      align: "left",
      cell: ({ requestId, principalSats, fungibleAmount, inscriptionIds }) => (
        <span className="flex items-baseline gap-2 max-md:flex-col max-md:gap-0">
          <span>
            {formatBtc(principalSats)} <span className="text-muted">₿</span>
          </span>
          {fungibleAmount !== null && (
            <span className="truncate text-xs text-muted">
              for {formatTokenAmount(fungibleAmount, decimalsOf(row), 2)}
            </span>
          )}
          {isSeveral({ inscriptionIds }) && (
            <span className="truncate text-xs text-muted" title={pledgeTitle({ inscriptionIds })}>
              for {inscriptionsText(inscriptionIds.length)}
            </span>
          )}
          {negotiatedIds.has(requestId) && <span className="text-xs text-warn">Negotiating</span>}
        </span>
      ),
    },
    {
      id: "ltv",
      label: "LTV",
      width: 18,
      cell: (asked) => {
        const ltv = requestLtvBps(asked, row);
        return <Changing value={ltv}>{ltv === null ? "–" : formatPercentFixed(ltv / 100, 2)}</Changing>;
      },
    },
    {
      id: "interest",
      label: "Up to",
      width: 14,
      cell: ({ interestMaxPercent }) => formatPercent(interestMaxPercent),
    },
    { id: "term", label: "Term", width: 22, cell: (asked) => termText(asked) },
    {
      id: "action",
      label: "Action",
      width: 18,
      cell: (asked) =>
        asked.borrowerId === userId ? (
          <span className="text-xs text-muted">Yours</span>
        ) : (
          <Button size="small" onClick={() => onFill(asked)}>
            Fill
          </Button>
        ),
    },
  ];
  return (
    <BookTable
      caption="Open requests"
      lines={lines}
      columns={columns}
      idOf={({ requestId }) => requestId}
      empty="No open requests."
    />
  );
}
