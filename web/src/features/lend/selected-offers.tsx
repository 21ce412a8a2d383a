import { X } from "lucide-react";
import type { Collection } from "@/shared/api/collection";
import { formatBps } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { IconButton } from "@/shared/ui/button";
import { classNames } from "@/shared/ui/class-names";
import { type LendDraft, ltvOf, principalOf } from "./lend-draft";
import { labelOf } from "./lend-target";

export interface SelectedOffer {
  draft: LendDraft;
  /** The reason why it cannot be created; null when it can. */
  error: string | null;
}

/** The selected offers: amount, LTV, count, and a button that deselects each. */
export function SelectedOffers({
  row,
  offers,
  activeId,
  disabled,
  onShow,
  onRemove,
}: {
  row: Collection;
  offers: readonly SelectedOffer[];
  activeId: string | null;
  disabled: boolean;
  onShow: (id: string) => void;
  onRemove: (id: string) => void;
}) {
  return (
    <section aria-label="Selected offers" className="rounded-card border border-line">
      <ul className="flex flex-col divide-y divide-line">
        {offers.map(({ draft, error }) => {
          const id = draft.target.subCollectionId;
          const label = labelOf(row, id);
          // The form above shows the error of the active one.
          const shownError = id === activeId ? null : error;
          const ltv = ltvOf(draft.target, principalOf(draft));
          return (
            <li
              key={id}
              data-selected-offer
              className={classNames(
                "flex items-center gap-2 pr-1 first:rounded-t-card last:rounded-b-card",
                id === activeId && offers.length > 1 && "bg-raised",
              )}
            >
              <button
                type="button"
                disabled={disabled}
                aria-current={id === activeId}
                onClick={() => onShow(id)}
                className="flex min-h-12 min-w-0 flex-1 flex-col justify-center rounded-control px-3 py-1.5 text-left text-sm -outline-offset-2"
              >
                <span>{label}</span>
                <span className="flex flex-wrap gap-x-3 text-xs text-muted">
                  <span className="text-text">
                    {formatBtc(principalOf(draft))} <span className="text-muted">BTC</span>
                    {draft.count > 1 && <span> × {draft.count}</span>}
                  </span>
                  <span className={shownError ? "text-down" : undefined}>
                    {shownError ?? `LTV ${ltv === null ? "–" : formatBps(ltv)}`}
                  </span>
                </span>
              </button>
              <IconButton
                size="small"
                label={`Remove ${label}`}
                disabled={disabled}
                onClick={() => onRemove(id)}
              >
                <X size={16} aria-hidden />
              </IconButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
