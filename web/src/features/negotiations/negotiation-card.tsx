import { useState } from "react";
import type { Collection } from "@/shared/api/collection";
import { errorText } from "@/shared/api/error-text";
import type { Loan } from "@/shared/api/loan";
import { interestOf } from "@/shared/api/loan-figures";
import type { LoanTerms, Negotiation } from "@/shared/api/negotiation";
import { pledgedRaw } from "@/shared/api/pledge";
import { PledgeImage } from "@/shared/collateral/pledge-image";
import { pledgeText, pledgeTitle } from "@/shared/collateral/pledge-text";
import { formatMoment } from "@/shared/format/age";
import { formatRemaining } from "@/shared/format/countdown";
import { withoutBundleNumber } from "@/shared/format/name";
import { formatBps } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import { Button } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { notify } from "@/shared/ui/notify";
import { RefusableButton } from "@/shared/ui/refusable-button";
import { AgreedLoan } from "./agreed-loan";
import { endNegotiation } from "./negotiation-requests";
import { canCounter, isOpen, isUsersTurn, latestOf, otherSide, stateText } from "./negotiation-view";
import { ProposedTerms } from "./proposed-terms";
import { Rounds } from "./rounds";
import { ltvOf } from "./terms-draft";

interface NegotiationCardProps {
  negotiation: Negotiation;
  row: Collection;
  /** The terms that the latest proposal answered; null while they are unknown. */
  before: LoanTerms | null;
  /** The loan that was signed for what was agreed; undefined before. */
  loan: Loan | undefined;
  /** Whether the user is to sign what was agreed. */
  isToSign: boolean;
  /** Whether the loan to extend runs and nothing ends it; true about a new loan. */
  canRunOn: boolean;
  now: number;
  onAccept: () => void;
  onCounter: () => void;
}

/** One negotiation: the latest terms, how they came about, and the user's next step. */
export function NegotiationCard(props: NegotiationCardProps) {
  const { negotiation, row, before, loan, isToSign, canRunOn, now } = props;
  const latest = latestOf(negotiation);
  if (!latest) return null;
  const { label, tone } = stateText(negotiation, now);
  const isLender = negotiation.role === "lender";
  const isActive = isOpen(negotiation, now);
  const payout = latest.principalSats + interestOf(latest.principalSats, latest.interestBps);
  const isExtended = negotiation.loanId !== null;
  // The money of an extension is lent already.
  const ltvBps = isExtended ? null : ltvOf(latest.principalSats, pledgedRaw(negotiation), row);
  const isOver = !isActive && negotiation.state !== "accepted";
  return (
    <li
      data-negotiation={negotiation.negotiationId}
      data-state={negotiation.state}
      className={classNames(
        "flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4",
        isOver && "text-soft",
      )}
    >
      <div className="flex items-center gap-3">
        <PledgeImage
          id={row.id}
          name={row.collectionName}
          url={row.collectionImgURL}
          inscriptionIds={negotiation.inscriptionIds}
        />
        <div className="min-w-0 flex-1">
          <h3 className="truncate text-sm font-strong" title={row.collectionName}>
            {withoutBundleNumber(row.collectionName)}
          </h3>
          <p className="text-xs text-pretty text-muted" title={pledgeTitle(negotiation)}>
            {sideText(negotiation)}, {pledgeText(negotiation, row)}
          </p>
        </div>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <ProposedTerms terms={latest} before={before} />
      <p className="text-xs text-muted">
        {isLender ? "You are repaid" : "You repay"} {formatBtcPaid(payout)} BTC
        {ltvBps !== null && `, LTV ${formatBps(ltvBps)}`}
      </p>
      <Rounds negotiation={negotiation} />
      {isActive && <Answer {...props} />}
      {negotiation.state === "accepted" && (
        <AgreedLoan negotiation={negotiation} row={row} loan={loan} isToSign={isToSign} canRunOn={canRunOn} />
      )}
      {negotiation.state === "closed" && (
        <p className="mt-auto text-sm text-soft">{closedText(negotiation)}</p>
      )}
    </li>
  );
}

function sideText({ role, loanId }: Negotiation): string {
  if (loanId !== null) return role === "lender" ? "Extension of what you lent" : "Extension of your loan";
  return role === "lender" ? "You lend" : "You borrow";
}

function closedText({ offerId, loanId }: Negotiation): string {
  if (loanId !== null) return "The loan has ended or was extended.";
  return `The ${offerId === null ? "request" : "offer"} that it began with is no longer open.`;
}

/** The time left, and the ways to answer. */
function Answer({ negotiation, row, now, onAccept, onCounter }: NegotiationCardProps) {
  const [isBusy, setIsBusy] = useState(false);
  const goodUntil = latestOf(negotiation)?.goodUntil ?? 0;
  const isTurn = isUsersTurn(negotiation, now);
  const about = `counter-offer for ${row.collectionName}`;

  async function end() {
    setIsBusy(true);
    try {
      await endNegotiation(negotiation);
      notify.success(isTurn ? "Counter-offer declined" : "Counter-offer withdrawn");
    } catch (reason) {
      notify.error("The negotiation could not be ended", errorText(reason));
      setIsBusy(false);
    }
  }

  return (
    <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="text-xs text-soft">
        <time dateTime={new Date(goodUntil).toISOString()} title={formatMoment(goodUntil)}>
          {formatRemaining(goodUntil, now)} left
        </time>
        {!isTurn && `, the ${otherSide(negotiation)} is to answer`}
      </p>
      <div className="flex gap-2 max-md:w-full max-md:*:flex-1">
        {isTurn && (
          <>
            <Button size="small" aria-label={`Accept ${about}`} disabled={isBusy} onClick={onAccept}>
              Accept
            </Button>
            <RefusableButton
              size="small"
              refusal={canCounter(negotiation) ? null : "This was the last round: accept it, or decline."}
              disabled={isBusy}
              onClick={onCounter}
            >
              Counter-offer
            </RefusableButton>
          </>
        )}
        <Button
          size="small"
          variant={isTurn ? "quiet" : "secondary"}
          aria-label={`${isTurn ? "Decline" : "Withdraw"} ${about}`}
          disabled={isBusy}
          onClick={() => void end()}
        >
          {isTurn ? "Decline" : "Withdraw"}
        </Button>
      </div>
    </div>
  );
}
