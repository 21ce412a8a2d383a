import type { Limits } from "@/shared/api/config";
import type { Loan } from "@/shared/api/loan";
import { amountSats } from "@/shared/format/btc-amount";
import { daysText } from "@/shared/format/days";
import { formatPercent } from "@/shared/format/percent";
import { BtcField, PercentField } from "@/shared/ui/amount-fields";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { TermRange } from "@/shared/ui/term-range";
import { daysBeforeChoices, type OrderDraft } from "./refinance-order-draft";
import { leastPrincipalText } from "./refinance-order-text";

/** The terms within which a loan is to be refinanced, and when. */
export function OrderFields({
  draft,
  loan,
  terms,
  limits,
  disabled,
  onChange,
}: {
  draft: OrderDraft;
  loan: Loan;
  /** Days, ascending. */
  terms: readonly number[];
  limits: Pick<Limits, "maxOfferSats">;
  disabled: boolean;
  onChange: (draft: OrderDraft) => void;
}) {
  return (
    <>
      <div className="grid gap-x-4 gap-y-3 md:grid-cols-2">
        <BtcField
          label="Principal at least"
          hint={leastPrincipalText(loan, amountSats(draft.principalText))}
          text={draft.principalText}
          maxSats={limits.maxOfferSats}
          disabled={disabled}
          onText={(principalText) => onChange({ ...draft, principalText })}
        />
        <PercentField
          label="Interest at most, for the whole term"
          hint={`This loan ${formatPercent(loan.interest)} for ${daysText(loan.term)}`}
          text={draft.interestText}
          disabled={disabled}
          onText={(interestText) => onChange({ ...draft, interestText })}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be laid out unlike the other controls. */}
      <div role="group" aria-label="Term of the new loan" className="flex flex-wrap items-center gap-2">
        <span aria-hidden className="basis-full text-xs text-soft">
          Term of the new loan
        </span>
        <TermRange bounds={draft} terms={terms} onChange={(bounds) => onChange({ ...draft, ...bounds })} />
      </div>
      <LabelledChoice
        label="Look for offers from, before the due date"
        value={String(draft.daysBefore)}
        choices={daysBeforeChoices(loan).map((count) => ({
          value: String(count),
          label: daysText(count),
        }))}
        disabled={disabled}
        onChange={(value) => onChange({ ...draft, daysBefore: Number(value) })}
      />
    </>
  );
}
