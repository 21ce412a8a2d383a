import { type ComponentProps, type ReactNode, useId } from "react";
import type { CollateralType } from "@/shared/api/collection";
import { pegStep } from "@/shared/api/peg";
import { formatBps } from "@/shared/format/percent";
import { formatBtcPaid } from "@/shared/format/sats";
import { PegChart } from "@/shared/price/peg-chart";
import { pegChangeTexts, priceName } from "@/shared/price/peg-text";
import { Input } from "@/shared/ui/input";
import { Btc } from "@/shared/ui/sum-lines";
import { type LendDraft, ltvOf } from "./lend-draft";
import type { FormAction } from "./lend-form";
import { type PegDraft, type PegField, pegBounds, pegLevel } from "./peg-draft";
import { pegErrors } from "./peg-errors";

/** The bounds within which the principal follows the floor. */
export function PegFields({
  draft: { target },
  peg,
  type,
  count,
  disabled,
  errorsId,
  dispatch,
}: {
  draft: LendDraft;
  peg: PegDraft;
  type: CollateralType;
  /** The number of offers, where there can be several. */
  count: ReactNode;
  disabled: boolean;
  errorsId: string;
  dispatch: (action: FormAction) => void;
}) {
  const wrong = new Set(pegErrors(peg, target).map(({ field }) => field));
  const field = (name: PegField) => ({
    numeric: true,
    value: peg[name],
    disabled,
    invalid: wrong.has(name),
    "aria-describedby": errorsId,
    onText: (text: string) => dispatch({ type: "pegTyped", field: name, text }),
  });
  const btc = <span className="text-sm">BTC</span>;
  return (
    <div className="grid grid-cols-2 gap-4">
      <div className={count ? "col-span-2 grid grid-cols-[1fr_8rem] gap-4" : "col-span-2"}>
        <TextField
          label={`Share of the ${priceName(type)}`}
          trailing={<span className="text-sm">%</span>}
          {...field("shareText")}
        />
        {count}
      </div>
      <TextField label="At least" placeholder="0.00000" trailing={btc} {...field("leastText")} />
      <TextField label="At most" placeholder="0.00000" trailing={btc} {...field("mostText")} />
      {/* Bounds that are refused have no picture, so that the reason is near the fields. */}
      {wrong.size === 0 && <PegPreview target={target} peg={peg} type={type} />}
    </div>
  );
}

/** The principal now, and when it changes. */
function PegPreview({
  target,
  peg,
  type,
}: Pick<LendDraft, "target"> & {
  peg: PegDraft;
  type: CollateralType;
}) {
  const bounds = pegBounds(peg, target);
  const level = pegLevel(peg, target);
  if (!bounds || !level || target.price === null) return null;
  const ltv = ltvOf(target, level.principalSats);
  return (
    <section
      aria-label="Principal and floor"
      className="col-span-2 flex flex-col gap-2 rounded-card border border-line px-4 py-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <span>
          <span className="text-soft">Principal now </span>
          <strong className="font-strong" data-testid="principal-now">
            {level.isBelow ? "–" : <Btc>{formatBtcPaid(level.principalSats)}</Btc>}
          </strong>
        </span>
        <span>
          <span className="text-soft">LTV </span>
          <span data-testid="ltv">{level.isBelow || ltv === null ? "–" : formatBps(ltv)}</span>
        </span>
        <span>
          <span className="text-soft">Step </span>
          <Btc>{formatBtcPaid(pegStep(bounds))}</Btc>
        </span>
      </div>
      <PegChart bounds={bounds} level={level} price={target.price} type={type} />
      <ul className="flex flex-col gap-0.5 text-xs text-soft">
        {pegChangeTexts(bounds, level, type).map((text) => (
          <li key={text}>{text}.</li>
        ))}
      </ul>
    </section>
  );
}

function TextField({
  label,
  onText,
  ...input
}: Omit<ComponentProps<typeof Input>, "id" | "onChange"> & {
  label: string;
  onText: (text: string) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs text-soft">
        {label}
      </label>
      <Input id={id} {...input} onChange={(event) => onText(event.target.value)} />
    </div>
  );
}
