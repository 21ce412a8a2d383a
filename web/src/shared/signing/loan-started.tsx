import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ExplorerLink } from "@/shared/chain/explorer-link";
import { buttonClass } from "@/shared/ui/button";

/** The end of an origination: the transaction is broadcast, and the next steps. */
export function LoanStarted({
  transactionId,
  children,
  onClose,
}: {
  transactionId: string;
  /** The next steps, in a sentence or two. */
  children: ReactNode;
  /** Called when the user goes to the portfolio. */
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-5 py-10 text-center" role="status">
      <CircleCheck size={40} strokeWidth={1.5} aria-hidden className="text-up" />
      <h3 className="text-lg">Loan started</h3>
      <p className="max-w-sm text-sm text-pretty text-soft">{children}</p>
      <p className="flex flex-wrap items-center justify-center gap-2 text-sm text-muted">
        Transaction <ExplorerLink transactionId={transactionId} />
      </p>
      <Link to="/portfolio" onClick={onClose} className={`${buttonClass({ variant: "primary" })} mt-2`}>
        View portfolio
      </Link>
    </div>
  );
}
