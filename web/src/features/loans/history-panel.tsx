import { useInfiniteQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { errorText } from "@/shared/api/error-text";
import { useLiveLoans } from "@/shared/loans/loan-refresh";
import { type Session, useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { DialogBoundary } from "@/shared/ui/dialog-boundary";
import { EmptyState } from "@/shared/ui/empty-state";
import { notify } from "@/shared/ui/notify";
import { Segmented } from "@/shared/ui/segmented";
import {
  ENDINGS,
  type EndingId,
  type HistoryView,
  historyFilter,
  ROLES,
  type RoleId,
} from "./history-filter";
import { HistoryTable } from "./history-table";
import { LoanDialog } from "./loan-dialog";
import { historyQuery, saveTable } from "./loan-requests";
import { LoansFailure } from "./loans-failure";
import { ConnectToSeeLoans } from "./loans-panel";
import { LoansSkeleton } from "./loans-skeleton";
import { useOpenLoan } from "./open-loan";
import { StartActions } from "./start-actions";

/** Ended loans, the latest first. */
export function HistoryPanel() {
  const session = useSession((state) => state.session);
  return session ? <OwnHistory session={session} /> : <ConnectToSeeLoans />;
}

const choices = <Id extends string>(all: ReadonlyArray<{ id: Id; label: string }>) =>
  all.map(({ id, label }) => ({ value: id, label }));

function OwnHistory({ session }: { session: Session }) {
  useLiveLoans();
  const [view, setView] = useState<HistoryView>({ role: "all", ending: "all" });
  const filter = historyFilter(view);
  const history = useInfiniteQuery(historyQuery(session.userId, filter));
  const { loanId, open, close } = useOpenLoan();
  const loans = history.data?.pages.flatMap(({ data }) => data) ?? [];
  const save = () =>
    void saveTable(filter).catch((error: unknown) =>
      notify.error("The table could not be downloaded", errorText(error)),
    );
  return (
    <section aria-label="Your history" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented<RoleId>
          label="Side"
          value={view.role}
          choices={choices(ROLES)}
          onChange={(role) => setView({ ...view, role })}
        />
        <Segmented<EndingId>
          label="Ending"
          value={view.ending}
          choices={choices(ENDINGS)}
          onChange={(ending) => setView({ ...view, ending })}
        />
        <Button onClick={save} disabled={loans.length === 0} className="md:ml-auto">
          <Download size={16} aria-hidden />
          CSV
        </Button>
      </div>
      {history.isPending && <LoansSkeleton />}
      {history.isError && !history.data && (
        <LoansFailure error={history.error} onRetry={() => void history.refetch()} />
      )}
      {history.data && loans.length === 0 && <NoHistory view={view} />}
      {loans.length > 0 && <HistoryTable loans={loans} onOpen={open} />}
      {history.hasNextPage && (
        <Button
          className="self-center"
          disabled={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {history.isFetchingNextPage ? "Loading..." : "Show more"}
        </Button>
      )}
      {loanId !== null && (
        <DialogBoundary onClose={close}>
          <LoanDialog key={loanId} loanId={loanId} session={session} onClose={close} />
        </DialogBoundary>
      )}
    </section>
  );
}

function NoHistory({ view }: { view: HistoryView }) {
  if (view.role !== "all" || view.ending !== "all") {
    return <EmptyState title="No results found">No loan of yours ended like this.</EmptyState>;
  }
  return (
    <EmptyState title="No loan has ended yet" action={<StartActions />}>
      Repaid and claimed loans appear here, with what they earned or cost, and as a table to download.
    </EmptyState>
  );
}
