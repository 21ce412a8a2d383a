import type { Collection } from "@/shared/api/collection";
import type { Limits } from "@/shared/api/config";
import { isSeveral } from "@/shared/api/pledge";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { BtcField, PercentField } from "@/shared/ui/amount-fields";
import { GOOD_FOR_CHOICES } from "@/shared/ui/good-until";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { TermRange } from "@/shared/ui/term-range";
import { type RequestDraft, requestFigures, termsOf } from "./request-draft";

/** The wanted principal, interest and terms of a request, and the time for which it is good. */
export function TermsFields({
  draft,
  limits,
  disabled,
  onChange,
}: {
  draft: RequestDraft;
  limits: Limits;
  disabled: boolean;
  onChange: (part: Partial<RequestDraft>) => void;
}) {
  const { row } = draft;
  const { ltvBps } = requestFigures(draft);
  return (
    <>
      <div className="grid gap-x-4 gap-y-1 md:grid-cols-2">
        <BtcField
          label="Principal"
          hint={ltvBps === null ? bestText(draft) : `LTV ${formatPercentFixed(ltvBps / 100, 2)}`}
          text={draft.principalText}
          maxSats={limits.maxOfferSats}
          disabled={disabled}
          onText={(principalText) => onChange({ principalText })}
        />
        <PercentField
          label="Interest at most, for the whole term"
          hint={interestText(row)}
          text={draft.interestText}
          disabled={disabled}
          onText={(interestText) => onChange({ interestText })}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <TermRange bounds={draft} terms={termsOf(row)} onChange={onChange} />
      </div>
      <LabelledChoice
        label="Good for"
        value={String(draft.goodForDays)}
        choices={GOOD_FOR_CHOICES}
        disabled={disabled}
        onChange={(days) => onChange({ goodForDays: Number(days) })}
      />
    </>
  );
}

/** The best offer now, for comparison; no offer is against several inscriptions. */
function bestText({ row: { manual, instant }, inscriptionIds }: RequestDraft): string {
  const best = [manual?.bestOffer, instant?.bestOffer].filter((sats) => sats != null);
  const most = best.reduce<bigint>((one, other) => (other > one ? other : one), 0n);
  if (most === 0n) return "No offers now";
  return `Best offer now ${formatBtc(most)} BTC${isSeveral({ inscriptionIds }) ? " for one" : ""}`;
}

function interestText({ subCollections }: Collection): string {
  const interests = subCollections.map(({ interest }) => interest);
  const [low, high] = [Math.min(...interests), Math.max(...interests)];
  return low === high
    ? `Now ${formatPercent(low)}`
    : `Now ${formatPercent(low)} to ${formatPercent(high)}, by term`;
}
