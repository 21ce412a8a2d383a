import { decimalsOf, unitOf } from "@/shared/api/collection";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { INSCRIPTIONS_MAX, inscriptionsText } from "@/shared/api/pledge";
import { InscriptionPicker } from "@/shared/collateral/inscription-picker";
import { formatTokenAmount } from "@/shared/format/unit-price";
import type { Session } from "@/shared/session/session-store";
import { TokenField } from "@/shared/ui/amount-fields";
import { type RequestDraft, toggled } from "./request-draft";

const FULL = `A loan is secured by at most ${inscriptionsText(INSCRIPTIONS_MAX)}: remove one to choose another.`;

/** The collateral of a request: one or several inscriptions of the user's, or an amount of tokens. */
export function PledgeField({
  draft,
  session,
  collateral,
  error,
  disabled,
  onChange,
}: {
  draft: RequestDraft;
  session: Session | null;
  /** Null while the server looks it up. */
  collateral: OwnCollateral | null;
  /** The reason why the collateral could not be looked up. */
  error: string | null;
  disabled: boolean;
  onChange: (part: Partial<RequestDraft>) => void;
}) {
  const { row, inscriptionIds } = draft;
  if (row.collateralType !== "inscription") {
    return (
      <TokenPledge draft={draft} disabled={disabled} onChange={(tokenText) => onChange({ tokenText })} />
    );
  }
  if (!session) return null;
  return (
    <InscriptionPicker
      row={row}
      collateral={collateral}
      error={error}
      chosen={inscriptionIds}
      taken={null}
      max={INSCRIPTIONS_MAX}
      maxReason={FULL}
      disabled={disabled}
      onToggle={(id) => onChange({ inscriptionIds: toggled(inscriptionIds, id) })}
      problem={null}
    />
  );
}

function TokenPledge({
  draft,
  disabled,
  onChange,
}: {
  draft: RequestDraft;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { row } = draft;
  const bundles = row.subCollections
    .map(({ bundleSize }) => bundleSize)
    .filter((size) => size !== null)
    .map((size) => formatTokenAmount(size, decimalsOf(row)));
  const isOpen = row.subCollections.some(({ bundleSize }) => bundleSize === null);
  return (
    <TokenField
      label={`${unitOf(row)} to pledge`}
      hint={
        bundles.length === 0
          ? "Any amount."
          : `${[...new Set(bundles)].join(", ")}${isOpen ? ", or any other amount for instant loans" : ""}.`
      }
      text={draft.tokenText}
      disabled={disabled}
      onText={onChange}
    />
  );
}
