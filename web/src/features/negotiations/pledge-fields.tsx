import { useQuery } from "@tanstack/react-query";
import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import type { NegotiableOffer } from "@/shared/api/counter-offer";
import { ownCollateralQuery } from "@/shared/api/own-collateral";
import { runeBalance } from "@/shared/collateral/holdings";
import { InscriptionPicker } from "@/shared/collateral/inscription-picker";
import { formatTokenAmount } from "@/shared/format/unit-price";
import type { Session } from "@/shared/session/session-store";
import { TokenField } from "@/shared/ui/amount-fields";
import type { TermsDraft } from "./terms-draft";

/** The borrower's choice of the collateral: an inscription, or an amount of tokens. */
export function PledgeFields({
  offer,
  row,
  draft,
  session,
  disabled,
  onChange,
}: {
  offer: NegotiableOffer;
  row: Collection;
  draft: TermsDraft;
  session: Session;
  disabled: boolean;
  onChange: (part: Partial<TermsDraft>) => void;
}) {
  const { data, error } = useQuery(ownCollateralQuery(session.userId));
  if (row.collateralType === "inscription") {
    return (
      <InscriptionPicker
        row={row}
        collateral={data ?? null}
        error={error?.message ?? null}
        chosen={draft.inscriptionId === null ? [] : [draft.inscriptionId]}
        taken={offer.taken}
        max={1}
        disabled={disabled}
        onToggle={(inscriptionId) => onChange({ inscriptionId })}
        problem={null}
      />
    );
  }
  return (
    <TokenField
      label={`${unitOf(row)} to pledge`}
      hint={data && `${formatTokenAmount(runeBalance(row, data), decimalsOf(row), 4)} in your wallet`}
      text={draft.tokenText}
      disabled={disabled}
      onText={(tokenText) => onChange({ tokenText })}
    />
  );
}
