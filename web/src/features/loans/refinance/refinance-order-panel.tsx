import type { Loan } from "@/shared/api/loan";
import { Button } from "@/shared/ui/button";
import { useNow } from "@/shared/ui/use-now";
import { orderStartText, orderTermsText } from "./refinance-order-text";

const MINUTE_MS = 60_000;

/** The standing order of a loan, or how to set one. */
export function RefinanceOrderPanel({ loan, onOrder }: { loan: Loan; onOrder: () => void }) {
  const now = useNow(MINUTE_MS);
  const { refinanceOrder: order } = loan;
  return (
    <section
      aria-label="Standing order"
      className="flex items-center justify-between gap-4 text-sm max-sm:flex-col max-sm:items-stretch max-sm:gap-2"
    >
      <div>
        <h3 className="font-normal text-soft">Standing order to refinance</h3>
        <p className="text-xs text-pretty text-muted">
          {order === null
            ? "None. Set terms, and Lienbook looks for an offer near the due date and asks you to sign it."
            : `${orderTermsText(order)}. ${orderStartText(loan, order, now)}.`}
        </p>
      </div>
      <Button size="small" onClick={onOrder} className="shrink-0">
        {order === null ? "Set order" : "Change order"}
      </Button>
    </section>
  );
}
