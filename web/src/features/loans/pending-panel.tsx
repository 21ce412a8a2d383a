import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Loan } from "@/shared/api/loan";
import { useLiveLoans } from "@/shared/loans/loan-refresh";
import { type Session, useSession } from "@/shared/session/session-store";
import { Badge } from "@/shared/ui/badge";
import { buttonClass } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { EmptyState } from "@/shared/ui/empty-state";
import { LoanDialog } from "./loan-dialog";
import { LoanList } from "./loan-list";
import { waitingLoansQuery } from "./loan-requests";
import { LoansFailure } from "./loans-failure";
import { ConnectToSeeLoans } from "./loans-panel";
import { LoansSkeleton } from "./loans-skeleton";
import { useOpenLoan } from "./open-loan";

/**
 * Groups of waiting loans, the most urgent first: a signature lapses, a repayment is late, a claim can wait.
 */
const GROUPS: ReadonlyArray<{ waitsFor: Loan["waitsFor"]; title: string; why: string }> = [
  {
    waitsFor: "counter_signature",
    title: "Counter-signatures",
    why: "A borrower accepted your offer, or asks for an extension. You have 12 hours to sign, then it lapses.",
  },
  {
    waitsFor: "signature",
    title: "Signatures",
    why: "Waiting for your signature: new, or rebuilt because one of the lender's coins was spent.",
  },
  {
    waitsFor: "repayment",
    title: "Repayments",
    why: "Due within three days, or overdue. Once the lender can claim, the collateral can be lost at any moment.",
  },
  {
    waitsFor: "claim",
    title: "Claims",
    why: "Not repaid in time. The borrower can still repay until you claim.",
  },
];

interface PendingPanelProps {
  /** Whether the page shows more that waits for the user. */
  isMoreWaiting: boolean;
}

/** All loans that wait for the user. */
export function PendingPanel({ isMoreWaiting }: PendingPanelProps) {
  const session = useSession((state) => state.session);
  return session ? <Waiting session={session} isMoreWaiting={isMoreWaiting} /> : <ConnectToSeeLoans />;
}

function Waiting({ session, isMoreWaiting }: PendingPanelProps & { session: Session }) {
  useLiveLoans();
  const waiting = useQuery(waitingLoansQuery(session.userId));
  const { loanId, action, open, close } = useOpenLoan();
  const dialog = loanId !== null && (
    <DialogBoundary onClose={close}>
      <LoanDialog key={loanId} loanId={loanId} session={session} firstAction={action} onClose={close} />
    </DialogBoundary>
  );
  if (waiting.isPending) return <LoansSkeleton />;
  if (!waiting.data) return <LoansFailure error={waiting.error} onRetry={() => void waiting.refetch()} />;
  return (
    <>
      {waiting.data.length === 0 && !isMoreWaiting && (
        <EmptyState
          title="Nothing to do"
          action={
            <Link to="/portfolio?tab=loans" className={buttonClass()}>
              See all loans
            </Link>
          }
        >
          Signatures, repayments that are due within three days, and claims appear here.
        </EmptyState>
      )}
      <div className="peer flex flex-col gap-8">
        {GROUPS.map(({ waitsFor, title, why }) => {
          const loans = waiting.data.filter((loan) => loan.waitsFor === waitsFor);
          return (
            loans.length > 0 && (
              <section key={title} aria-label={title} className="flex flex-col gap-3">
                <div>
                  <h2 className="flex items-center gap-2 text-base font-strong">
                    {title} <Badge>{loans.length}</Badge>
                  </h2>
                  <p className="text-sm text-muted">{why}</p>
                </div>
                <LoanList loans={loans} label={title} onOpen={open} onAction={open} />
              </section>
            )
          );
        })}
      </div>
      {dialog}
    </>
  );
}
