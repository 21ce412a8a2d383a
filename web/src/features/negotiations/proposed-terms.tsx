import type { ReactNode } from "react";
import type { LoanTerms } from "@/shared/api/negotiation";
import { daysText } from "@/shared/format/days";
import { formatBps } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";

/** The latest terms, each with the change against those before. */
export function ProposedTerms({
  terms,
  before,
}: {
  terms: LoanTerms;
  /** The terms that it answered; null while they are unknown. */
  before: LoanTerms | null;
}) {
  return (
    <dl className="grid grid-cols-[1.4fr_1fr_1fr] gap-x-3">
      <Term
        label="Principal"
        by={signOf(terms.principalSats, before?.principalSats)}
        before={before && formatBtcPaid(before.principalSats)}
      >
        {formatBtcPaid(terms.principalSats)} <span className="text-sm font-normal text-muted">₿</span>
      </Term>
      <Term
        label="Interest"
        by={signOf(terms.interestBps, before?.interestBps)}
        before={before && formatBps(before.interestBps)}
      >
        {formatBps(terms.interestBps)}
      </Term>
      <Term
        label="Term"
        by={signOf(terms.termDays, before?.termDays)}
        before={before && daysText(before.termDays)}
      >
        {daysText(terms.termDays)}
      </Term>
    </dl>
  );
}

function Term({
  label,
  by,
  before,
  children,
}: {
  label: string;
  /** The direction of the change; 0 for none. */
  by: number;
  before: string | null;
  children: ReactNode;
}) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-base font-strong whitespace-nowrap md:text-lg">{children}</dd>
      {by !== 0 && before !== null && (
        <dd className="text-xs text-soft">
          <span aria-hidden>{by > 0 ? "↑" : "↓"}</span>
          <span className="sr-only">{by > 0 ? "Up" : "Down"}</span> from {before}
        </dd>
      )}
    </div>
  );
}

function signOf<Value extends bigint | number>(now: Value, before: Value | undefined): number {
  if (before === undefined || now === before) return 0;
  return now > before ? 1 : -1;
}
