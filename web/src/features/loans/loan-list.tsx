import type { Loan } from "@/shared/api/loan";
import { PledgeImage } from "@/shared/collateral/pledge-image";
import { pledgeTitle } from "@/shared/collateral/pledge-text";
import { truncateName } from "@/shared/format/name";
import { formatBtc } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { classNames } from "@/shared/ui/class-names";
import { RefusableButton } from "@/shared/ui/refusable-button";
import { useNow } from "@/shared/ui/use-now";
import { firstAction, type LoanActionName } from "./loan-actions";
import { collateralText } from "./loan-collateral";
import { LoanDue } from "./loan-due";
import { roleText } from "./loan-role";
import { stateText } from "./loan-state";
import { RefinanceLine } from "./refinance/refinance-line";
import type { RefinanceMatch } from "./refinance/refinance-match";

const TICK_MS = 5_000;

interface LoanListProps {
  loans: readonly Loan[];
  label: string;
  onOpen: (loan: Loan) => void;
  onAction: (loan: Loan, action: LoanActionName) => void;
  /** The offers that loans could move to, by the loan's id; without it rows say nothing about refinances. */
  refinances?: {
    matches: ReadonlyMap<string, RefinanceMatch>;
    onRefinance: (loan: Loan, offerId: string) => void;
  };
  /** The selectable and the selected loans; without it none are selectable. */
  selection?: {
    canSelect: (loan: Loan) => boolean;
    selected: ReadonlySet<string>;
    onSelect: (loanId: string, isSelected: boolean) => void;
  };
}

/** Open loans: subject, remaining time, and the one action of each. */
export function LoanList({ loans, label, ...props }: LoanListProps) {
  const now = useNow(TICK_MS);
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {loans.map((loan) => (
        <LoanItem key={loan.loanId} loan={loan} now={now} {...props} />
      ))}
    </ul>
  );
}

function LoanItem({
  loan,
  now,
  onOpen,
  onAction,
  refinances,
  selection,
}: Omit<LoanListProps, "loans" | "label"> & { loan: Loan; now: number }) {
  const action = firstAction(loan, now);
  const { label, tone } = stateText(loan, now);
  const isSelected = selection?.selected.has(loan.loanId) ?? false;
  return (
    <li
      data-loan={loan.loanId}
      className={classNames(
        "grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2 rounded-card border bg-surface p-3",
        "lg:grid-cols-[minmax(0,2.2fr)_minmax(0,1fr)_minmax(0,1.1fr)_8rem_8.5rem] lg:py-2",
        isSelected ? "border-text" : "border-line",
      )}
    >
      <div className="flex min-w-0 items-center gap-3 max-lg:col-span-2">
        {selection && (
          <span className={classNames("w-5 shrink-0", !selection.canSelect(loan) && "max-lg:hidden")}>
            {selection.canSelect(loan) && (
              <CheckBox
                checked={isSelected}
                onChange={(next) => selection.onSelect(loan.loanId, next)}
                className="-m-2 p-2"
              >
                <span className="sr-only">Select loan of {loan.collectionName} to repay it</span>
              </CheckBox>
            )}
          </span>
        )}
        <PledgeImage
          id={loan.groupId}
          name={loan.collectionName}
          url={loan.collectionImgURL}
          inscriptionIds={loan.inscriptionIds}
        />
        <div className="min-w-0 flex-1">
          <button
            type="button"
            onClick={() => onOpen(loan)}
            title={loan.collectionName}
            className="block max-w-full truncate rounded-control text-left text-sm font-strong underline-offset-4 hover:underline"
          >
            {truncateName(loan.collectionName)}
          </button>
          <p className="truncate text-xs text-muted" title={pledgeTitle(loan)}>
            {roleText(loan)}, {collateralText(loan)}
          </p>
        </div>
        <span className="lg:hidden">
          <Badge tone={tone}>{label}</Badge>
        </span>
      </div>
      <div className="text-sm lg:text-right">
        <span className="text-base font-strong lg:text-sm">{formatBtc(loan.principal, 8)}</span>{" "}
        <span className="text-muted">BTC</span>
        <span className="block text-xs text-muted">{formatBtc(loan.payoutSats, 8)} to repay</span>
      </div>
      <div className="text-right text-sm">
        <LoanDue loan={loan} withBlocks />
      </div>
      <span className="max-lg:hidden">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span className="flex flex-col gap-1.5 max-lg:col-span-2 lg:items-end">
        {action ? (
          <>
            <RefusableButton
              size="small"
              wide
              refusal={action.refusal}
              aria-label={`${action.label}: loan of ${loan.collectionName}`}
              onClick={() => onAction(loan, action.name)}
            >
              {action.label}
            </RefusableButton>
            {/* Hidden from screen readers: the button has announced it already. */}
            {action.refusal !== null && (
              <span aria-hidden className="text-center text-xs text-pretty text-muted lg:hidden">
                {action.refusal}
              </span>
            )}
          </>
        ) : (
          <Button size="small" wide onClick={() => onOpen(loan)}>
            View
          </Button>
        )}
      </span>
      {refinances && (
        <RefinanceLine
          loan={loan}
          match={refinances.matches.get(loan.loanId)}
          now={now}
          onRefinance={refinances.onRefinance}
        />
      )}
    </li>
  );
}
