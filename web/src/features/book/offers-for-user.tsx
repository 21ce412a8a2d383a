import type { BookOffer } from "@/shared/api/book";
import { formatBtc } from "@/shared/format/sats";
import { Button } from "@/shared/ui/button";
import type { BookSelection } from "./book-view";

/** Leads to the best offer that is only for the user, while another term or process type is shown. */
export function OffersForUser({
  offers,
  onShow,
}: {
  offers: readonly BookOffer[];
  onShow: (selection: BookSelection) => void;
}) {
  const [best, ...others] = offers;
  if (!best) return null;
  return (
    <p
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-2 text-sm"
    >
      <span className="min-w-0">
        A lender offers you {formatBtc(best.principalSats)} BTC for {best.termDays} days
        {others.length > 0 && `, and ${others.length} more`}.
      </span>
      <Button
        size="small"
        onClick={() => onShow({ subCollectionId: best.subCollectionId, process: best.process })}
      >
        Show
      </Button>
    </p>
  );
}
