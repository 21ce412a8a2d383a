import { useQuery } from "@tanstack/react-query";
import { CalendarPlus } from "lucide-react";
import { useMemo, useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { Loan } from "@/shared/api/loan";
import { useLiveLoans } from "@/shared/loans/loan-refresh";
import { ConnectButton } from "@/shared/session/connect-button";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { EmptyState } from "@/shared/ui/empty-state";
import { notify } from "@/shared/ui/notify";
import { Segmented } from "@/shared/ui/segmented";
import { saveCalendar } from "./due-calendar";
import { canRefinance, canRepay } from "./loan-actions";
import { LoanDialog } from "./loan-dialog";
import { LoanList } from "./loan-list";
import { openLoansQuery } from "./loan-requests";
import { LoansFailure } from "./loans-failure";
import { LoansSkeleton } from "./loans-skeleton";
import { useOpenLoan } from "./open-loan";
import { useRefinanceMatches } from "./refinance/use-refinance-matches";
import { REPAID_TOGETHER_MAX, RepayDialog } from "./repay-dialog";
import { StartActions } from "./start-actions";

/** The open loans, borrowed and lent. */
export function LoansPanel() {
  const session = useSession((state) => state.session);
  return session ? <OwnLoans session={session} /> : <ConnectToSeeLoans />;
}

export function ConnectToSeeLoans() {
  return (
    <EmptyState title="Connect to see your loans" action={<ConnectButton variant="secondary" />}>
      What you borrowed and lent appears here with its due date, and with everything that can be done with it.
    </EmptyState>
  );
}

type RoleChoice = "all" | "borrower" | "lender";

function OwnLoans({ session }: { session: Session }) {
  useLiveLoans();
  const loans = useQuery(openLoansQuery(session.userId));
  const [role, setRole] = useState<RoleChoice>("all");
  const { loanId, action, offerId, open, openRefinance, close } = useOpenLoan();
  const matches = useRefinanceMatches(session.userId, loans.data?.some(canRefinance) ?? false);
  const shown = useMemo(
    () => byUrgency((loans.data ?? []).filter((loan) => role === "all" || loan.role === role)),
    [loans.data, role],
  );
  const repaying = useSelection(shown);

  if (loans.isPending) return <LoansSkeleton />;
  if (!loans.data) return <LoansFailure error={loans.error} onRetry={() => void loans.refetch()} />;
  return (
    <section aria-label="Your loans" className="flex flex-col gap-4">
      {loans.data.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <Segmented<RoleChoice>
            label="Side"
            value={role}
            choices={[
              { value: "all", label: "All" },
              { value: "borrower", label: "Borrowed" },
              { value: "lender", label: "Lent" },
            ]}
            onChange={setRole}
          />
          <CalendarButton />
          {repaying.chosen.length > 0 && <RepaySelected chosen={repaying.chosen} onRepay={repaying.start} />}
        </div>
      )}
      {shown.length === 0 ? (
        <NoLoans isFiltered={loans.data.length > 0} />
      ) : (
        <LoanList
          loans={shown}
          label="Your loans"
          onOpen={open}
          onAction={open}
          refinances={{ matches, onRefinance: openRefinance }}
          selection={{ canSelect: canRepay, selected: repaying.selected, onSelect: repaying.select }}
        />
      )}
      {loanId !== null && (
        <DialogBoundary onClose={close}>
          <LoanDialog
            key={`${loanId} ${offerId}`}
            loanId={loanId}
            session={session}
            firstAction={action}
            offerId={offerId}
            onClose={close}
          />
        </DialogBoundary>
      )}
      {repaying.started && (
        <DialogBoundary onClose={repaying.end}>
          <RepayDialog loans={repaying.started} session={session} onClose={repaying.end} />
        </DialogBoundary>
      )}
    </section>
  );
}

/** The loans selected to be repaid together; those that cannot be any more are dropped. */
function useSelection(shown: readonly Loan[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [started, setStarted] = useState<readonly Loan[] | null>(null);
  const chosen = useMemo(
    () => shown.filter((loan) => selected.has(loan.loanId) && canRepay(loan)),
    [shown, selected],
  );
  return {
    selected,
    chosen,
    started,
    select: (loanId: string, isSelected: boolean) =>
      setSelected((before) => {
        const after = new Set(before);
        if (isSelected) after.add(loanId);
        else after.delete(loanId);
        return after;
      }),
    /** The loans to sign are fixed when the dialog opens, whatever happens to the list. */
    start: () => setStarted(chosen),
    end: () => {
      setStarted(null);
      setSelected(new Set());
    },
  };
}

function RepaySelected({ chosen, onRepay }: { chosen: readonly Loan[]; onRepay: () => void }) {
  const isTooMany = chosen.length > REPAID_TOGETHER_MAX;
  return (
    <div className="flex items-center gap-3 max-md:fixed max-md:inset-x-4 max-md:bottom-18 max-md:z-20 max-md:rounded-control max-md:bg-surface max-md:shadow-float md:ml-auto">
      {isTooMany && <span className="text-xs text-warn">At most {REPAID_TOGETHER_MAX} at once</span>}
      <Button variant="primary" wide disabled={isTooMany} onClick={onRepay}>
        Repay {chosen.length} {chosen.length === 1 ? "loan" : "loans"}
      </Button>
    </div>
  );
}

function CalendarButton() {
  const save = () =>
    void saveCalendar(null).catch((error: unknown) =>
      notify.error("The calendar could not be downloaded", errorText(error)),
    );
  return (
    <Button onClick={save}>
      <CalendarPlus size={16} aria-hidden />
      Calendar
    </Button>
  );
}

function NoLoans({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No results found">No loan of this side is open now.</EmptyState>;
  return (
    <EmptyState title="No active loans." action={<StartActions />}>
      A loan appears here the moment it is accepted, with its due date and with everything that can be done
      with it.
    </EmptyState>
  );
}

/** By due date; loans that do not run yet come first, because a signature is missing. */
function byUrgency(loans: readonly Loan[]): Loan[] {
  const at = (loan: Loan) => loan.expiresAt ?? loan.dueAt ?? 0;
  return [...loans].sort((a, b) => at(a) - at(b) || (a.loanId < b.loanId ? -1 : 1));
}
