import { daysText } from "@/shared/format/days";
import { ChoiceMenu } from "./choice-menu";
import { type TermBounds, withTermMax, withTermMin } from "./term-bounds";

interface TermRangeProps {
  bounds: TermBounds;
  /** The terms to choose from, in days, ascending. */
  terms: readonly number[];
  onChange: (bounds: TermBounds) => void;
}

/** The choice of the shortest and the longest term. */
export function TermRange({ bounds, terms, onChange }: TermRangeProps) {
  const choices = terms.map((days) => ({ value: String(days), label: daysText(days) }));
  return (
    <>
      <ChoiceMenu
        label="At least"
        value={String(bounds.termMinDays)}
        choices={choices}
        onChange={(days) => onChange(withTermMin(bounds, Number(days)))}
        className="max-md:h-10!"
      />
      <ChoiceMenu
        label="At most"
        value={String(bounds.termMaxDays)}
        choices={choices}
        onChange={(days) => onChange(withTermMax(bounds, Number(days)))}
        className="max-md:h-10!"
      />
    </>
  );
}
