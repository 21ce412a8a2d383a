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
}: {
  negotiation: Negotiation;
  row: Collection;
  /** The loan that was signed for the agreed offer; undefined before. */
  loan: Loan | undefined;
  isToSign: boolean;
}) {
  const { role, agreedOfferId, keptUntil } = negotiation;
  const isLender = role === "lender";
  if (loan && loan.stage !== "prepared") {
    return (
      <Step text={isLender ? "The borrower has signed the loan." : "You have signed the loan."}>
        <Link
          to={`/portfolio?tab=loans&loan=${encodeURIComponent(loan.loanId)}`}
          className={buttonClass({ size: "small" })}
        >
          See loan
        </Link>
      </Step>
    );
  }
  const until = <time dateTime={new Date(keptUntil).toISOString()}>{formatMoment(keptUntil)}</time>;
  if (isLender) return <Step text={<>The borrower can sign until {until}. Then you counter-sign.</>} />;
  if (!isToSign || agreedOfferId === null) return <Step text="The agreed offer can no longer be taken." />;
  return (
    <Step text={<>Sign until {until}. The lender then counter-signs.</>}>
      <Link
        to={offerAddress(row, agreedOfferId)}
        className={buttonClass({ variant: "primary", size: "small" })}
      >
        Sign the loan
      </Link>
    </Step>
  );
}

function Step({ text, children }: { text: React.ReactNode; children?: React.ReactNode }) {
  return (
    <div className="mt-auto flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm max-md:*:[a]:w-full">
      <p className="min-w-0 text-soft">{text}</p>
      {children}
    </div>
  );
}
