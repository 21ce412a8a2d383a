import type { NoticeKind } from "@/shared/api/notice";
import { Button } from "@/shared/ui/button";
import { CheckBox } from "@/shared/ui/check-box";
import { CHOICE_TEXTS } from "./notice-choice-text";

/** Chooses the kinds of events that are sent to one webhook or browser. */
export function KindPicker({
  kinds,
  chosen,
  disabled,
  onChange,
}: {
  /** The kinds to choose from. */
  kinds: readonly NoticeKind[];
  chosen: readonly NoticeKind[];
  disabled: boolean;
  onChange: (chosen: readonly NoticeKind[]) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-2" disabled={disabled}>
      <legend className="mb-1 flex w-full items-center justify-between text-xs text-soft">
        Events to send
        <Button
          size="small"
          variant="quiet"
          onClick={() => onChange(chosen.length === kinds.length ? [] : kinds)}
        >
          {chosen.length === kinds.length ? "Choose none" : "Choose all"}
        </Button>
      </legend>
      {kinds.map((kind) => (
        <CheckBox
          key={kind}
          checked={chosen.includes(kind)}
          disabled={disabled}
          onChange={(isOn) => onChange(isOn ? [...chosen, kind] : chosen.filter((other) => other !== kind))}
        >
          {CHOICE_TEXTS[kind].what}
        </CheckBox>
      ))}
    </fieldset>
  );
}
