import { formatAge, formatMoment } from "@/shared/format/age";
import { formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import { Changing } from "@/shared/ui/changing";
import { useNow } from "@/shared/ui/use-now";
import { type BookColumn, BookTable } from "./book-table";
import type { LoanLine } from "./book-view";

const AGE_RENEWED_MS = 10_000;

export function ActiveLoans({ lines }: { lines: readonly LoanLine[] }) {
  const now = useNow(AGE_RENEWED_MS);
  const columns: BookColumn<LoanLine>[] = [
    {
      id: "principal",
      label: "Principal",
      width: 50,
      align: "left",
      cell: ({ loan, own }) => (
        <span className="flex items-center gap-2">
          <span>
            {formatBtc(loan.principalSats)}
            <span className="text-muted"> ₿</span>
          </span>
          {own && <Badge tone="own">Yours</Badge>}
        </span>
      ),
    },
    {
      id: "ltv",
      label: "LTV",
      width: 26,
      cell: ({ ltv }) => <Changing value={ltv}>{ltv === null ? "–" : formatPercentFixed(ltv, 2)}</Changing>,
    },
    {
      id: "date",
      label: "Date",
      width: 24,
      cell: ({ loan }) => (
        <time
          dateTime={new Date(loan.acceptedAt).toISOString()}
          title={formatMoment(loan.acceptedAt)}
          className="text-soft"
        >
          {formatAge(loan.acceptedAt, now)}
        </time>
      ),
    },
  ];
  return (
    <BookTable
      caption="Active loans"
      lines={lines}
      columns={columns}
      idOf={idOfLine}
      empty="No active loans."
      rowProps={({ own }) => ({ "data-own": own ? "true" : undefined })}
      rowClass={({ own }) => (own ? "shadow-[inset_3px_0_0_var(--text)]" : "")}
    />
  );
}

function idOfLine(line: LoanLine): string {
  return line.loan.id;
}
