import type { ReactNode } from "react";
import type { Loan } from "@/shared/api/loan";
import { PledgeImage } from "@/shared/collateral/pledge-image";
import { pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { truncateName } from "@/shared/format/name";
import { formatApy } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import { classNames } from "@/shared/ui/class-names";
import { DESKTOP_SCREEN, useMediaQuery } from "@/shared/ui/use-media-query";
import { outcomeSats } from "./history-filter";
import { collateralText } from "./loan-collateral";
import { roleText } from "./loan-role";
import { stateText } from "./loan-state";

interface HistoryTableProps {
  loans: readonly Loan[];
  onOpen: (loan: Loan) => void;
}

/** Ended loans: a table on a wide screen, cards on a narrow one. */
export function HistoryTable(props: HistoryTableProps) {
  return useMediaQuery(DESKTOP_SCREEN) ? <WideTable {...props} /> : <Cards {...props} />;
}

const HEAD = "h-10 border-b border-line px-2 text-xs font-normal whitespace-nowrap text-muted";
const CELL = "h-14 border-b border-line px-2 whitespace-nowrap";
const NUMBER = `${CELL} text-right`;

function WideTable({ loans, onOpen }: HistoryTableProps) {
  return (
    <table className="w-full border-separate border-spacing-0 text-sm">
      <caption className="sr-only">Your history</caption>
      <thead className="sticky top-14 z-20 bg-ground">
        <tr>
          <Head left>Collection</Head>
          <Head left>Ending</Head>
          <Head>Principal</Head>
          <Head>Earned or paid</Head>
          <Head>APY</Head>
          <Head>Term</Head>
          <Head>Ended</Head>
        </tr>
      </thead>
      <tbody>
        {loans.map((loan) => (
          <tr key={loan.loanId} data-loan={loan.loanId} className="transition-colors hover:bg-surface">
            <td className={CELL}>
              <Name loan={loan} onOpen={onOpen} />
            </td>
            <td className={CELL}>
              <Ending loan={loan} />
            </td>
            <td className={NUMBER}>{formatBtc(loan.principal, 8)}</td>
            <td className={NUMBER}>
              <Outcome loan={loan} />
            </td>
            <td className={NUMBER}>{formatApy(loan.apy)}</td>
            <td className={NUMBER}>
              {loan.term} <span className="text-muted">d</span>
            </td>
            <td className={classNames(NUMBER, "text-soft")}>
              {formatMoment(loan.endedAt ?? loan.updatedAt)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head({ left = false, children }: { left?: boolean; children: ReactNode }) {
  return (
    <th scope="col" className={classNames(HEAD, left ? "text-left" : "text-right")}>
      {children}
    </th>
  );
}

function Cards({ loans, onOpen }: HistoryTableProps) {
  return (
    <ul aria-label="Your history" className="flex flex-col gap-2">
      {loans.map((loan) => (
        <li
          key={loan.loanId}
          data-loan={loan.loanId}
          className="flex flex-col gap-2 rounded-card border border-line bg-surface p-3 text-sm"
        >
          <div className="flex items-center justify-between gap-3">
            <Name loan={loan} onOpen={onOpen} />
            <Ending loan={loan} />
          </div>
          <div className="flex items-baseline justify-between gap-3">
            <span>
              <span className="text-base font-strong">{formatBtc(loan.principal, 8)}</span>{" "}
              <span className="text-muted">BTC</span>
            </span>
            <Outcome loan={loan} />
          </div>
          <p className="text-xs text-muted">
            {loan.term} days, ended {formatMoment(loan.endedAt ?? loan.updatedAt)}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Name({ loan, onOpen }: { loan: Loan; onOpen: (loan: Loan) => void }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <PledgeImage
        id={loan.groupId}
        name={loan.collectionName}
        url={loan.collectionImgURL}
        inscriptionIds={loan.inscriptionIds}
      />
      <span className="min-w-0">
        <button
          type="button"
          onClick={() => onOpen(loan)}
          title={loan.collectionName}
          className="block max-w-full truncate rounded-control text-left font-strong underline-offset-4 hover:underline"
        >
          {truncateName(loan.collectionName)}
        </button>
        <span className="block truncate text-xs text-muted" title={pledgeTitle(loan)}>
          {roleText(loan)}, {collateralText(loan)}
        </span>
      </span>
    </span>
  );
}

function Ending({ loan }: { loan: Loan }) {
  const { label, tone } = stateText(loan, loan.updatedAt);
  return <Badge tone={tone}>{label}</Badge>;
}

/** The sum earned or paid, always with its sign. */
function Outcome({ loan }: { loan: Loan }) {
  const sats = outcomeSats(loan);
  if (sats === null) {
    if (loan.stage !== "claimed") return <span className="text-muted">–</span>;
    return (
      <span className="text-soft">{loan.role === "lender" ? "Collateral received" : "Principal kept"}</span>
    );
  }
  if (sats < 0n) return <span>{formatBtc(sats, 8)}</span>;
  return <span className="text-up">{`+${formatBtc(sats, 8)}`}</span>;
}
