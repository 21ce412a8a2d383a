import { BellRing, CalendarClock, TrendingDown } from "lucide-react";
import type { ReactNode } from "react";
import type { Loan } from "@/shared/api/loan";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { canRefinance } from "../loan-actions";
import { matchTermsText, matchText, type RefinanceMatch } from "./refinance-match";
import { orderStartText } from "./refinance-order-text";

interface RefinanceLineProps {
  loan: Loan;
  /** The offer that the loan could move to; undefined without one. */
  match: RefinanceMatch | undefined;
  now: number;
  onRefinance: (loan: Loan, offerId: string) => void;
}

/** A line of a running loan's row: the offer that it could move to, or its standing order. */
export function RefinanceLine({ loan, match, now, onRefinance }: RefinanceLineProps) {
  if (!canRefinance(loan)) return null;
  if (match) {
    return (
      <Line>
        <MatchText match={match} />
        <MatchButton loan={loan} match={match} onRefinance={onRefinance} />
      </Line>
    );
  }
  if (loan.refinanceOrder === null) return null;
  return (
    <Line>
      <span className="flex items-center gap-1.5 text-muted">
        <CalendarClock size={14} aria-hidden className="shrink-0" />
        Standing order: {lowerFirst(orderStartText(loan, loan.refinanceOrder, now))}
      </span>
    </Line>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <div className="col-span-full flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line pt-2 text-xs">
      {children}
    </div>
  );
}

function MatchText({ match }: { match: RefinanceMatch }) {
  const Icon = match.isOrdered ? BellRing : TrendingDown;
  return (
    <span className={classNames("flex items-center gap-1.5", match.isOrdered ? "text-warn" : "text-up")}>
      <Icon size={14} aria-hidden className="shrink-0" />
      {matchText(match)}
    </span>
  );
}

function MatchButton({
  loan,
  match,
  onRefinance,
}: Omit<RefinanceLineProps, "match" | "now"> & { match: RefinanceMatch }) {
  const label = match.isOrdered ? "Review and sign" : "See the offer";
  return (
    <Button
      size="small"
      aria-label={`${label}: loan of ${loan.collectionName}`}
      onClick={() => onRefinance(loan, match.offerId)}
      className="shrink-0 max-sm:w-full"
    >
      {label}
    </Button>
  );
}

/** The same in the dialog of a loan, with the terms of the offer. */
export function RefinanceMatchPanel({
  loan,
  match,
  onRefinance,
}: Omit<RefinanceLineProps, "match" | "now"> & { match: RefinanceMatch }) {
  return (
    <section
      aria-label="Another offer"
      className={classNames(
        "flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control px-3 py-2 text-sm",
        match.isOrdered ? "bg-warn-tint" : "bg-up-tint",
      )}
    >
      <div className="min-w-0">
        <MatchText match={match} />
        <p className="text-xs text-soft">{matchTermsText(match)}</p>
      </div>
      <MatchButton loan={loan} match={match} onRefinance={onRefinance} />
    </section>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
