import { useQuery } from "@tanstack/react-query";
import { CalendarPlus, Download, FileText } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { errorText } from "@/shared/api/error-text";
import type { Loan } from "@/shared/api/loan";
import { ExplorerLink } from "@/shared/chain/explorer-link";
import { pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { formatApy, formatPercent } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import { saveTerms } from "@/shared/signing/loan-cost";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { OfflinePageLink } from "@/shared/ui/offline-page-link";
import { Btc, SumLine, SumLines } from "@/shared/ui/sum-lines";
import { useNow } from "@/shared/ui/use-now";
import { saveCalendar } from "./due-calendar";
import { LoanActionDialog, type LoanDecision } from "./loan-action-dialog";
import { canRefinance, isCancellation, type LoanActionName, loanActions } from "./loan-actions";
import { collateralText } from "./loan-collateral";
import { LoanDue } from "./loan-due";
import { LoanInscriptions } from "./loan-inscriptions";
import { loanQuery, saveKit } from "./loan-requests";
import { isNeverStarted, roleDetailText } from "./loan-role";
import { isOver, milestone, nextStepText, stateText } from "./loan-state";
import { RefinanceMatchPanel } from "./refinance/refinance-line";
import { refinanceMatchesQuery } from "./refinance/refinance-match";
import { RefinanceOrderPanel } from "./refinance/refinance-order-panel";

const TICK_MS = 5_000;

interface LoanDialogProps {
  loanId: string;
  session: Session;
  /** Opens at once with one of its actions. */
  firstAction?: LoanActionName | null;
  /** Opens at once with a refinance by this offer, while the loan can be refinanced. */
  offerId?: string | null;
  onClose: () => void;
}

/** The details and actions of one loan. */
export function LoanDialog({
  loanId,
  session,
  firstAction = null,
  offerId = null,
  onClose,
}: LoanDialogProps) {
  const query = useQuery(loanQuery(session.userId, loanId));
  const loan = query.data;
  if (!loan) {
    const placeholderText = query.isError
      ? errorText(query.error)
      : query.isPending
        ? "Fetching"
        : "There is no such loan of yours.";
    return (
      <Modal open onClose={onClose} title="Loan">
        <p role={query.isError ? "alert" : "status"} className="px-5 py-8 text-sm text-soft">
          {placeholderText}
        </p>
      </Modal>
    );
  }
  const first = firstAction ?? (offerId !== null && canRefinance(loan) ? "refinance" : null);
  return <OpenedLoan loan={loan} session={session} first={{ name: first, offerId }} onClose={onClose} />;
}

/** The decision that is open; without a name the details of the loan are. */
interface Opened {
  name: LoanDecision | null;
  offerId: string | null;
}

function OpenedLoan({
  loan,
  session,
  first,
  onClose,
}: Pick<LoanDialogProps, "session" | "onClose"> & { loan: Loan; first: Opened }) {
  // Later changes of the loan do not close what is open: a signature may be the cause.
  const [{ name, offerId }, setOpened] = useState(first);
  const [isDirect] = useState(first.name !== null);
  if (name !== null) {
    // A dialog that was opened for one action closes with it.
    const leave = () => (isDirect ? onClose() : setOpened({ name: null, offerId: null }));
    return (
      <LoanActionDialog
        name={name}
        loan={loan}
        session={session}
        offerId={offerId}
        onOrder={() => setOpened({ name: "order", offerId: null })}
        onClose={leave}
      />
    );
  }
  return (
    <LoanFacts
      loan={loan}
      session={session}
      onDecide={(decision, chosenId) => setOpened({ name: decision, offerId: chosenId ?? null })}
      onClose={onClose}
    />
  );
}

function LoanFacts({
  loan,
  session,
  onDecide,
  onClose,
}: {
  loan: Loan;
  session: Session;
  onDecide: (decision: LoanDecision, offerId?: string) => void;
  onClose: () => void;
}) {
  const now = useNow(TICK_MS);
  const isRefinanceable = canRefinance(loan);
  const matches = useQuery({ ...refinanceMatchesQuery(session.userId), enabled: isRefinanceable });
  const match = isRefinanceable ? matches.data?.get(loan.loanId) : undefined;
  const actions = loanActions(loan, now);
  const { label, tone } = stateText(loan, now);
  const refusalsId = useId();
  const refusals = [...new Set(actions.flatMap(({ refusal }) => refusal ?? []))];
  return (
    <Modal
      open
      onClose={onClose}
      title={loan.collectionName}
      description={roleDetailText(loan)}
      headerActions={<Badge tone={tone}>{label}</Badge>}
      footer={
        actions.length > 0 && (
          <div className="flex flex-wrap items-center justify-end gap-2">
            {refusals.length > 0 && (
              <p id={refusalsId} className="mr-auto basis-full text-xs text-muted">
                {refusals.join(" ")}
              </p>
            )}
            {[...actions].reverse().map((each, index) => (
              <Button
                key={each.name}
                variant={
                  isCancellation(each) ? "danger" : index === actions.length - 1 ? "primary" : "secondary"
                }
                // Focusable, so that it can show why it cannot be pressed.
                aria-disabled={each.refusal !== null || undefined}
                aria-describedby={each.refusal === null ? undefined : refusalsId}
                onClick={each.refusal === null ? () => onDecide(each.name) : undefined}
              >
                {each.label}
              </Button>
            ))}
          </div>
        )
      }
    >
      <div className="flex flex-col gap-4 px-5 py-4">
        <section aria-label="What happens next" className="flex flex-col gap-1.5 text-sm">
          {milestone(loan, now) && (
            <div className="text-base">
              <LoanDue loan={loan} withBlocks />
            </div>
          )}
          <p className="text-soft">{nextStepText(loan, now)}</p>
        </section>
        {match && (
          <RefinanceMatchPanel
            loan={loan}
            match={match}
            onRefinance={(_, offerId) => onDecide("refinance", offerId)}
          />
        )}
        <LoanTerms loan={loan} />
        {isRefinanceable && <RefinanceOrderPanel loan={loan} onOrder={() => onDecide("order")} />}
        <LoanInscriptions inscriptionIds={loan.inscriptionIds} />
        <Transactions loan={loan} />
        {loan.transactionId !== null && <LoanFiles loan={loan} />}
      </div>
    </Modal>
  );
}

function LoanTerms({ loan }: { loan: Loan }) {
  const moment = (label: string, at: number | null) =>
    at !== null && <SumLine label={label}>{formatMoment(at)}</SumLine>;
  return (
    <SumLines>
      <SumLine label="Collateral">
        <span title={pledgeTitle(loan)}>{collateralText(loan)}</span>
      </SumLine>
      <SumLine label="Principal">
        <Btc>{formatBtc(loan.principal, 8)}</Btc>
      </SumLine>
      <SumLine label={`Interest, ${formatPercent(loan.interest)} for ${loan.term} days`}>
        <Btc>{formatBtc(loan.interestSats, 8)}</Btc>
      </SumLine>
      {!isNeverStarted(loan) && (
        <SumLine label={loan.role === "borrower" ? "You repay" : "You are repaid"} strong>
          <Btc>{formatBtc(loan.payoutSats, 8)}</Btc>
        </SumLine>
      )}
      {!isNeverStarted(loan) && loan.platformFeeSats !== null && loan.platformFeeSats > 0n && (
        <SumLine label="Platform fee, at the start">
          <Btc>{formatBtc(loan.platformFeeSats, 8)}</Btc>
        </SumLine>
      )}
      <SumLine label="APY">{formatApy(loan.apy)}</SumLine>
      {moment("Started", loan.startedAt)}
      {moment("Due", loan.dueAt)}
      {!isOver(loan) && moment("Claimable if not repaid", loan.claimAfter)}
      {moment("Ended", loan.endedAt)}
    </SumLines>
  );
}

function Transactions({ loan }: { loan: Loan }) {
  if (loan.transactionId === null) return null;
  const line = (label: string, transactionId: string): ReactNode => (
    <p className="flex items-center justify-between gap-3 text-sm">
      <span className="text-soft">{label}</span>
      <ExplorerLink transactionId={transactionId} />
    </p>
  );
  return (
    <section aria-label="Transactions" className="flex flex-col">
      {line("Beginning", loan.transactionId)}
      {loan.endingTransactionId !== null &&
        line(loan.ending === "claim" ? "Claim" : "Repayment", loan.endingTransactionId)}
    </section>
  );
}

function LoanFiles({ loan }: { loan: Loan }) {
  const save = (what: string, task: Promise<void>) =>
    void task.catch((error: unknown) => notify.error(`${what} could not be downloaded`, errorText(error)));
  return (
    <section aria-label="Files" className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => save("The loan kit", saveKit(loan.loanId))}>
          <Download size={14} aria-hidden />
          Loan kit
        </Button>
        <Button size="small" onClick={() => save("The terms", saveTerms([loan.loanId]))}>
          <FileText size={14} aria-hidden />
          Terms
        </Button>
        {loan.dueAt !== null && !isOver(loan) && (
          <Button size="small" onClick={() => save("The calendar entry", saveCalendar(loan.loanId))}>
            <CalendarPlus size={14} aria-hidden />
            Calendar entry
          </Button>
        )}
      </div>
      {!isOver(loan) && (
        <p className="text-xs text-muted">
          With the kit and a Bitcoin node you can{" "}
          {loan.role === "borrower" ? "repay this loan" : "claim the collateral after the claim time"} without
          this site. There is no private key in it. Keep it.
        </p>
      )}
      {!isOver(loan) && <OfflinePageLink />}
    </section>
  );
}
