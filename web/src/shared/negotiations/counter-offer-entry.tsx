import { useState } from "react";
import { Link } from "react-router";
import type { Collection } from "@/shared/api/collection";
import type { NegotiationSubject } from "@/shared/api/counter-offer";
import type { LoanRole } from "@/shared/api/loan";
import type { Negotiation } from "@/shared/api/negotiation";
import { useAppDialogs } from "@/shared/dialogs/app-dialogs";
import { useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { Button, buttonClass } from "@/shared/ui/button";
import { begunAbout } from "./negotiated";

/**
 * The way from an offer, a request or a loan to a counter-offer, or to the negotiation about it. Renders nothing while
 * signed out, and for an offer that was negotiated.
 */
export function CounterOfferEntry({
  subject,
  row,
  disabled,
  onSent,
}: {
  /** Null while there is nothing to answer. */
  subject: NegotiationSubject | null;
  row: Collection;
  disabled: boolean;
  /** Called when a counter-offer was sent. */
  onSent: () => void;
}) {
  const isSignedIn = useSession((state) => state.session !== null);
  const negotiations = [...(useMe().data?.negotiations.values() ?? [])];
  const { CounterOfferDialog } = useAppDialogs();
  // Kept while the dialog is open: another offer may become the best one meanwhile.
  const [answered, setAnswered] = useState<NegotiationSubject | null>(null);
  return (
    <>
      {isSignedIn && subject && (
        <EntryLine
          subject={subject}
          negotiations={negotiations}
          disabled={disabled}
          onOpen={() => setAnswered(subject)}
        />
      )}
      {answered && (
        <CounterOfferDialog subject={answered} row={row} onClose={() => setAnswered(null)} onSent={onSent} />
      )}
    </>
  );
}

function EntryLine({
  subject,
  negotiations,
  disabled,
  onOpen,
}: {
  subject: NegotiationSubject;
  negotiations: readonly Negotiation[];
  disabled: boolean;
  onOpen: () => void;
}) {
  const isAgreed =
    subject.kind === "offer" && negotiations.some(({ agreedOfferId }) => agreedOfferId === subject.offerId);
  if (isAgreed) return null;
  const isNegotiating = begunAbout(subject, negotiations) !== undefined;
  return (
    <div className="flex items-center justify-between gap-3 text-sm text-soft">
      <p>
        {isNegotiating
          ? `You negotiate about this ${subject.kind}.`
          : `You can propose other terms to the ${answererOf(subject)}.`}
      </p>
      {isNegotiating ? (
        <Link to="/portfolio/pending" className={buttonClass({ size: "small" })}>
          See negotiation
        </Link>
      ) : (
        <Button size="small" disabled={disabled} onClick={onOpen}>
          Counter-offer
        </Button>
      )}
    </div>
  );
}

/** The side that would answer. */
function answererOf(subject: NegotiationSubject): LoanRole {
  if (subject.kind === "loan") return subject.loan.role === "borrower" ? "lender" : "borrower";
  return subject.kind === "offer" ? "lender" : "borrower";
}
