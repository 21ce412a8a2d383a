import type { Limits } from "@/shared/api/config";
import { type CounterOfferSubject, isExtension } from "@/shared/api/counter-offer";
import { formatBps } from "@/shared/format/percent";
import { formatBtcExact } from "@/shared/format/sats";
import { BtcField, PercentField } from "@/shared/ui/amount-fields";
import { classNames } from "@/shared/ui/class-names";
import { Field, Input } from "@/shared/ui/input";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { type AnsweredTerms, differenceOf, HOURS, type TermsDraft } from "./terms-draft";

/** The terms of a counter-offer, each beside that of the other side, and the time for which they are good. */
export function TermsFields({
  draft,
  subject,
  answered,
  limits,
  disabled,
  onChange,
}: {
  draft: TermsDraft;
  subject: CounterOfferSubject;
  answered: AnsweredTerms;
  limits: Limits;
  disabled: boolean;
  onChange: (part: Partial<TermsDraft>) => void;
}) {
  const differs = differenceOf(draft, answered);
  const { principalSats, interestBps, isInterestMax, termMinDays, termMaxDays } = answered;
  const isKept = isExtension(subject);
  const terms = termMinDays === termMaxDays ? `${termMaxDays} d` : `${termMinDays}–${termMaxDays} d`;
  return (
    <>
      <div className={classNames("grid gap-x-3 gap-y-2", isKept ? "md:grid-cols-2" : "md:grid-cols-3")}>
        {!isKept && (
          <BtcField
            label="Principal"
            hint={
              <Compared by={differs.principal} subject={subject} theirs={formatBtcExact(principalSats)} />
            }
            text={draft.principalText}
            maxSats={limits.maxOfferSats}
            disabled={disabled}
            onText={(principalText) => onChange({ principalText })}
          />
        )}
        <PercentField
          label={isKept ? "Interest for the next term" : "Interest for the whole term"}
          hint={
            <Compared
              by={differs.interest}
              subject={subject}
              theirs={`${isInterestMax ? "up to " : ""}${formatBps(interestBps)}`}
            />
          }
          text={draft.interestText}
          disabled={disabled}
          onText={(interestText) => onChange({ interestText })}
        />
        <Field
          label={isKept ? "Next term" : "Term"}
          hint={<Compared by={differs.term} subject={subject} theirs={terms} />}
        >
          {(ids) => (
            <Input
              {...ids}
              numeric
              inputMode="numeric"
              value={draft.termText}
              disabled={disabled}
              onChange={(event) => onChange({ termText: event.target.value })}
              trailing="days"
            />
          )}
        </Field>
      </div>
      <LabelledChoice
        label="Good for"
        value={String(draft.hours)}
        choices={HOURS.map((hours) => ({
          value: String(hours),
          label: hours === 1 ? "1 hour" : `${hours} hours`,
        }))}
        disabled={disabled}
        onChange={(hours) => onChange({ hours: Number(hours) })}
      />
    </>
  );
}

/** One of the other side's terms, marked where the draft differs from it. */
function Compared({
  by,
  subject,
  theirs,
}: {
  /** The direction of the difference; 0 for none, null while nothing is entered. */
  by: number | null;
  subject: CounterOfferSubject;
  theirs: string;
}) {
  const source = sourceText(subject);
  if (by === 0) return `Same as the ${source}: ${theirs}`;
  if (by === null) return `The ${source}: ${theirs}`;
  return (
    <span className="text-text">
      <span aria-hidden>{by > 0 ? "↑" : "↓"} </span>
      {by > 0 ? "Above" : "Below"} the {source}: {theirs}
    </span>
  );
}

/** The source of the compared terms, in a word. */
function sourceText(subject: CounterOfferSubject): string {
  if (subject.kind !== "proposal") return subject.kind;
  return subject.negotiation.role === "lender" ? "borrower’s" : "lender’s";
}
