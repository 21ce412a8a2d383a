import type { Collection } from "@/shared/api/collection";
import { formatDayMonth } from "@/shared/format/age";
import { formatPercent } from "@/shared/format/percent";
import { CheckBox } from "@/shared/ui/check-box";
import { Field, Input } from "@/shared/ui/input";
import type { InstantAction, InstantDraft } from "./instant-draft";
import type { InstantError } from "./instant-errors";

/**
 * The inputs of instant offers besides the amount: number of tokens, max LTV, and the notice of changed
 * terms.
 */
export function InstantFields({
  row,
  draft,
  errors,
  dispatch,
  disabled,
}: {
  row: Collection;
  draft: InstantDraft;
  errors: InstantError[];
  dispatch: (action: InstantAction) => void;
  disabled: boolean;
}) {
  const { target } = draft;
  const sub = row.subCollections.find(({ id }) => id === target.subCollectionId);
  const change = sub?.newTermChangeRequest ?? null;
  return (
    <>
      {/* One that follows the floor pauses at its least principal instead. */}
      {draft.offer.peg === null && (
        <div className={target.isRune ? "grid gap-x-4 gap-y-2 sm:grid-cols-2" : undefined}>
          {target.isRune && (
            <Field label="Max tokens" hint="The most you take for the whole principal.">
              {(ids) => (
                <Input
                  {...ids}
                  numeric
                  placeholder="0"
                  trailing={<span className="max-w-32 truncate text-sm">{row.collectionSymbol}</span>}
                  value={draft.tokensText}
                  disabled={disabled}
                  onChange={(event) => dispatch({ type: "tokensTyped", text: event.target.value })}
                />
              )}
            </Field>
          )}
          <Field
            label="Auto-pause above max LTV"
            hint="Pauses automatically while the price is too low."
            error={errors.find(({ field }) => field === "maxLtv")?.text ?? null}
          >
            {(ids) => (
              <Input
                {...ids}
                numeric
                inputMode="numeric"
                trailing={<span className="text-sm">%</span>}
                value={draft.maxLtvText}
                disabled={disabled}
                invalid={errors.some(({ field }) => field === "maxLtv")}
                onChange={(event) => dispatch({ type: "maxLtvTyped", text: event.target.value })}
                onBlur={() => dispatch({ type: "maxLtvLeft" })}
              />
            )}
          </Field>
        </div>
      )}
      <div className="flex flex-col gap-1.5">
        <CheckBox
          checked={draft.acceptNextTerm}
          disabled={disabled}
          onChange={(accepted) => dispatch({ type: "acceptNextTermSet", accepted })}
        >
          Accept upcoming term changes
        </CheckBox>
        <p className="pl-7 text-xs text-muted">
          {change && !change.hasTermChangePassed
            ? `From ${formatDayMonth(change.changeDate)}: ${change.newDays} days at ${formatPercent(change.newInterestRate)}. `
            : ""}
          {draft.acceptNextTerm
            ? "The offer continues when terms change. Running loans keep theirs."
            : "The offer pauses when terms change, until you accept the new ones."}
        </p>
      </div>
    </>
  );
}
