import { type KeyboardEvent, type ReactNode, useEffect, useId } from "react";
import type { CollateralType } from "@/shared/api/collection";
import { LTV_END_BPS } from "@/shared/api/loan-to-value";
import { formatBps } from "@/shared/format/percent";
import { priceName } from "@/shared/price/peg-text";
import { classNames } from "@/shared/ui/class-names";
import { Input } from "@/shared/ui/input";
import { LabelledChoice } from "@/shared/ui/labelled-choice";
import { CountStepper } from "./count-stepper";
import type { LendAction, LendDraft } from "./lend-draft";
import { calculateSummary } from "./lend-summary";
import { LtvSlider } from "./ltv-slider";
import { PegFields } from "./peg-fields";

interface LendFormProps {
  id: string;
  /** The choice of the sub-collection. */
  selector: ReactNode;
  draft: LendDraft;
  collateralType: CollateralType;
  /** Whether the principal can follow the floor: not where borrowers may take a part. */
  canFollow?: boolean;
  dispatch: (action: FormAction) => void;
  errors: string[];
  /** Whether several equal offers can be created at once. */
  hasCount: boolean;
  disabled: boolean;
  onSubmit: () => void;
  /** Further inputs, below the LTV. */
  children?: ReactNode;
}

/** The actions of the inputs: all but those that change the target. */
export type FormAction = Exclude<LendAction, { type: "targetChosen" | "marketMoved" }>;

/** The inputs of an offer. */
export function LendForm(props: LendFormProps) {
  const { id, selector, draft, dispatch, errors, hasCount, disabled, onSubmit, children } = props;
  const { collateralType, canFollow = true } = props;
  const amountId = useId();
  const summary = calculateSummary(draft);
  useLtvKeys(dispatch, disabled);
  const count = hasCount && (
    <CountStepper
      count={draft.count}
      max={draft.target.countMax}
      disabled={disabled}
      onChange={(next) => dispatch({ type: "countSet", count: next })}
    />
  );

  return (
    <form
      id={id}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {selector}
      {canFollow && (
        <LabelledChoice
          label="Amount"
          value={draft.peg === null ? "fixed" : "pegged"}
          choices={[
            { value: "fixed", label: "Fixed principal" },
            {
              value: "pegged",
              label: `Follow the ${priceName(collateralType)}`,
              disabled: draft.target.price === null,
            },
          ]}
          disabled={disabled}
          onChange={(kind) => dispatch({ type: "pegSet", isPegged: kind === "pegged" })}
        />
      )}
      {draft.peg ? (
        <PegFields
          draft={draft}
          peg={draft.peg}
          type={collateralType}
          count={count}
          disabled={disabled}
          errorsId={`${amountId}-errors`}
          dispatch={dispatch}
        />
      ) : (
        <>
          <div className={classNames("grid gap-4", hasCount && "grid-cols-[1fr_8rem]")}>
            <div className="flex min-w-0 flex-col gap-1">
              <label htmlFor={amountId} className="text-xs text-soft">
                Principal
              </label>
              <Input
                id={amountId}
                numeric
                placeholder="0.00000"
                trailing={<span className="text-sm">BTC</span>}
                value={draft.amountText}
                disabled={disabled}
                invalid={errors.length > 0}
                aria-describedby={`${amountId}-errors`}
                onChange={(event) => dispatch({ type: "amountTyped", text: event.target.value })}
                onBlur={() => dispatch({ type: "amountLeft" })}
                onKeyDown={(event) => stepAmount(event, dispatch)}
              />
            </div>
            {count}
          </div>
          <LtvSlider
            percent={draft.ltvPercent}
            step={draft.target.ltvStep ?? 1}
            shown={summary.ltvBps === null ? "–" : formatBps(summary.ltvBps)}
            isTooHigh={summary.ltvBps !== null && summary.ltvBps >= LTV_END_BPS}
            disabled={disabled || draft.target.price === null}
            onChange={(percent) => dispatch({ type: "ltvSet", percent })}
          />
        </>
      )}
      {children}
      <div id={`${amountId}-errors`} role="alert" className="empty:hidden">
        {errors.length > 0 && (
          <ul className="rounded-control bg-down-tint px-3 py-2 text-sm text-down">
            {errors.map((error) => (
              <li key={error}>{error}</li>
            ))}
            {draft.wasReset && <li className="text-xs">The amount was reset. Choose another to continue.</li>}
          </ul>
        )}
      </div>
    </form>
  );
}

/** Arrow keys move the amount by its smallest step, with Shift by a hundred. */
function stepAmount(event: KeyboardEvent, dispatch: (action: FormAction) => void): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  const size = event.shiftKey ? 100 : 1;
  dispatch({ type: "amountStepped", steps: event.key === "ArrowUp" ? size : -size });
}

/**
 * The keys `=` and `-` raise and lower the LTV. No amount contains them, so they work inside its field too, but not
 * where text is typed.
 */
function useLtvKeys(dispatch: (action: FormAction) => void, disabled: boolean): void {
  useEffect(() => {
    if (disabled) return;
    function nudge(event: globalThis.KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.key !== "=" && event.key !== "-") || isTextField(event.target)) return;
      event.preventDefault();
      dispatch({ type: "ltvNudged", by: event.key === "=" ? 1 : -1 });
    }
    window.addEventListener("keydown", nudge);
    return () => window.removeEventListener("keydown", nudge);
  }, [dispatch, disabled]);
}

/** Whether text is typed there, and not a number. */
function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type === "text" && target.inputMode === "";
  return target instanceof HTMLTextAreaElement;
}
