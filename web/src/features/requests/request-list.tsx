import type { ReactNode } from "react";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection } from "@/shared/api/collection";
import { PledgeImage } from "@/shared/collateral/pledge-image";
import { pledgeText, pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { useNegotiatedIds } from "@/shared/negotiations/use-negotiated-ids";
import { requestLtvBps, termText } from "@/shared/requests/request-ladder";
import { Badge } from "@/shared/ui/badge";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { useNow } from "@/shared/ui/use-now";
import { timeLeft } from "./time-left";

const MINUTE_MS = 60_000;

/** A request with its collection. */
export interface RequestLine {
  asked: BorrowRequest;
  row: Collection;
}

/** The columns with their share of the width, so that lists above each other are aligned. */
const COLUMNS = [
  { label: "Collateral", percent: 24 },
  { label: "Principal", percent: 13 },
  { label: "LTV", percent: 10 },
  { label: "Interest", percent: 14 },
  { label: "Term", percent: 13 },
  { label: "Expires", percent: 9 },
  { label: "Action", percent: 17 },
] as const;

/** Requests as rows, which are cards on phones. */
export function RequestList({
  caption,
  lines,
  action,
}: {
  caption: string;
  lines: readonly RequestLine[];
  action: (line: RequestLine) => ReactNode;
}) {
  const negotiatedIds = useNegotiatedIds();
  const now = useNow(MINUTE_MS);
  return (
    <table className="w-full border-separate border-spacing-0 text-sm max-md:block md:table-fixed">
      <caption className="sr-only">{caption}</caption>
      <colgroup className="max-md:hidden">
        {COLUMNS.map(({ label, percent }) => (
          <col key={label} style={{ width: `${percent}%` }} />
        ))}
      </colgroup>
      <thead className="max-md:sr-only">
        <tr>
          {COLUMNS.map(({ label }) => (
            <th
              key={label}
              scope="col"
              className={classNames(
                "h-9 border-b border-line px-2 text-xs font-normal whitespace-nowrap text-muted lg:px-3",
                label === "Collateral" ? "text-left" : "text-right",
              )}
            >
              <span className={label === "Action" ? "sr-only" : undefined}>{label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:flex max-md:flex-col max-md:gap-2">
        {lines.map(({ asked, row }) => {
          const ltv = requestLtvBps(asked, row);
          return (
            <tr
              key={asked.requestId}
              data-request={asked.requestId}
              data-state={asked.state}
              className="max-md:grid max-md:grid-cols-2 max-md:gap-x-3 max-md:gap-y-1.5 max-md:rounded-card max-md:border max-md:border-line max-md:p-3 md:hover:bg-raised"
            >
              <td className="px-2 py-2 max-md:col-span-2 max-md:px-0 max-md:py-0 md:border-b md:border-line lg:px-3">
                <span className="flex min-w-0 items-center gap-3">
                  <PledgeImage
                    id={row.id}
                    name={row.collectionName}
                    url={row.collectionImgURL}
                    size="small"
                    inscriptionIds={asked.inscriptionIds}
                  />
                  <span className="min-w-0">
                    <span className="block truncate">{withoutBundleNumber(row.collectionName)}</span>
                    <span className="block truncate text-xs text-muted" title={pledgeTitle(asked)}>
                      {pledgeText(asked, row)}
                    </span>
                  </span>
                  {/* On tablets there is no space beside the name, and the action says so too. */}
                  {negotiatedIds.has(asked.requestId) && <Badge tone="warn">Negotiating</Badge>}
                  {asked.state === "filled" && <Badge className="md:max-lg:hidden">Filled</Badge>}
                </span>
              </td>
              <Cell label="Principal">
                {formatBtc(asked.principalSats)} <span className="text-muted">₿</span>
              </Cell>
              <Cell label="LTV">
                <Changing value={ltv}>{ltv === null ? "–" : formatPercentFixed(ltv / 100, 2)}</Changing>
              </Cell>
              <Cell label="Interest">
                <span className="text-muted">up to</span> {formatPercent(asked.interestMaxPercent)}
              </Cell>
              <Cell label="Term">{termText(asked)}</Cell>
              <Cell label="Expires">
                <time
                  dateTime={new Date(asked.goodUntil).toISOString()}
                  title={formatMoment(asked.goodUntil)}
                >
                  {timeLeft(asked.goodUntil, now)}
                </time>
              </Cell>
              <td className="px-2 py-2 text-right max-md:col-span-2 max-md:px-0 max-md:pt-1 max-md:pb-0 max-md:*:w-full md:border-b md:border-line lg:px-3">
                {action({ asked, row })}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td className="px-2 py-2 text-right whitespace-nowrap max-md:flex max-md:items-baseline max-md:justify-between max-md:gap-2 max-md:px-0 max-md:py-0 md:border-b md:border-line lg:px-3">
      <span aria-hidden className="text-xs text-muted md:hidden">
        {label}
      </span>
      <span>{children}</span>
    </td>
  );
}
