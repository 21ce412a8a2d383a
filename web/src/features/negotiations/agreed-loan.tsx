import { Link } from "react-router";
import type { Collection } from "@/shared/api/collection";
import type { Loan } from "@/shared/api/loan";
import type { Negotiation } from "@/shared/api/negotiation";
import { formatMoment } from "@/shared/format/age";
import { offerAddress } from "@/shared/share/share-link";
import { buttonClass } from "@/shared/ui/button";

/** The next step after a counter-offer was accepted. */
export function AgreedLoan({
  negotiation,
  row,
  loan,
  isToSign,
  canRunOn,
}: {
  negotiation: Negotiation;
  row: Collection;
  /** The loan that was signed for what was agreed; undefined before. */
  loan: Loan | undefined;
  isToSign: boolean;
  /** Whether the loan to extend runs and nothing ends it; true about a new loan. */
  canRunOn: boolean;
}) {
  const { role, agreedOfferId, loanId, keptUntil } = negotiation;
  const isLender = role === "lender";
  if (loan) {
    const signed = loanId === null ? "loan" : "extension";
    return (
      <Step text={isLender ? `The borrower has signed the ${signed}.` : `You have signed the ${signed}.`}>
        <Link to={loanAddress(loan.loanId)} className={buttonClass({ size: "small" })}>
          See {signed}
        </Link>
      </Step>
    );
  }
  const until = <time dateTime={new Date(keptUntil).toISOString()}>{formatMoment(keptUntil)}</time>;
  if (!canRunOn) return <Step text="The loan is not running any more." />;
  if (isLender) return <Step text={<>The borrower can sign until {until}. Then you counter-sign.</>} />;
  const address = loanId === null ? agreedOfferId && offerAddress(row, agreedOfferId) : loanAddress(loanId);
  if (!isToSign || address === null) {
    return <Step text="The agreed offer can no longer be taken." />;
  }
  return (
    <Step text={<>Sign until {until}. The lender then counter-signs.</>}>
      <Link to={address} className={buttonClass({ variant: "primary", size: "small" })}>
        {loanId === null ? "Sign the loan" : "Go to the loan to extend"}
      </Link>
    </Step>
  );
}

function loanAddress(loanId: string): string {
  return `/portfolio?tab=loans&loan=${encodeURIComponent(loanId)}`;
}

function Step({ text, children }: { text: React.ReactNode; children?: React.ReactNode }) {
  return (
    <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm max-md:*:[a]:w-full">
      <p className="min-w-0 text-soft">{text}</p>
      {children}
    </div>
  );
}
