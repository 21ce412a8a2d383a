import { useState } from "react";
import type { Collection } from "@/shared/api/collection";
import type { WalletAssets } from "@/shared/bitcoin/wallet-assets";
import { shortenAddress } from "@/shared/format/name";
import { CheckBox } from "@/shared/ui/check-box";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";
import { Field, Input } from "@/shared/ui/input";
import { inscriptionsIn, isInscriptionId } from "./holdings";

interface InscriptionPickerProps {
  row: Collection;
  /** Null while the wallet is asked. */
  assets: WalletAssets | null;
  error: string | null;
  chosen: readonly string[];
  /** How many can be pledged at once. */
  max: number;
  disabled: boolean;
  onToggle: (inscriptionId: string) => void;
}

/** Which inscriptions are pledged: those of the collection that the wallet lists, or one by its id. */
export function InscriptionPicker(props: InscriptionPickerProps) {
  const { row, assets, error, chosen, max, disabled, onToggle } = props;
  const [showsAll, setShowsAll] = useState(false);
  const own = assets ? inscriptionsIn(row, assets) : [];
  const all = assets?.inscriptions ?? [];
  const shown = showsAll ? all : own;
  const canList = assets !== null && assets.inscriptions !== null;
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs text-soft">
        {max > 1 ? `Inscriptions to pledge, up to ${max}` : "Inscription to pledge"}
      </legend>
      {!assets && !error && (
        <div aria-hidden className="h-14 animate-shimmer rounded-control border border-line bg-raised" />
      )}
      {error && <p className="text-sm text-down">{error}</p>}
      {canList && shown.length === 0 && (
        <p className="rounded-control border border-line bg-ground px-3 py-4 text-center text-sm text-soft">
          You do not own any {row.collectionName}
        </p>
      )}
      {shown.length > 0 && (
        <ul className="flex max-h-44 flex-col gap-1.5 overflow-y-auto pr-1">
          {shown.map(({ inscriptionId, number }) => (
            <li key={inscriptionId}>
              <Choice
                row={row}
                label={number === null ? shortenAddress(inscriptionId, 8) : `#${number}`}
                detail={number === null ? null : shortenAddress(inscriptionId, 6)}
                isChosen={chosen.includes(inscriptionId)}
                isMany={max > 1}
                onToggle={() => onToggle(inscriptionId)}
              />
            </li>
          ))}
        </ul>
      )}
      {all.length > own.length && (
        <CheckBox checked={showsAll} onChange={setShowsAll} disabled={disabled}>
          Show every inscription of this wallet
        </CheckBox>
      )}
      {assets !== null && !canList && <ById chosen={chosen} onToggle={onToggle} />}
    </fieldset>
  );
}

function Choice({
  row,
  label,
  detail,
  isChosen,
  isMany,
  onToggle,
}: {
  row: Collection;
  label: string;
  detail: string | null;
  isChosen: boolean;
  isMany: boolean;
  onToggle: () => void;
}) {
  return (
    <label
      className={classNames(
        "flex min-h-12 cursor-pointer items-center gap-3 rounded-control border px-3 py-1.5 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus",
        isChosen ? "border-accent bg-accent-tint" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type={isMany ? "checkbox" : "radio"}
        checked={isChosen}
        onChange={onToggle}
        className="size-4 shrink-0 accent-accent outline-none"
      />
      <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
      <span className="min-w-0 flex-1 truncate text-sm">{label}</span>
      {detail && <span className="font-mono text-xs text-muted">{detail}</span>}
    </label>
  );
}

/** For wallets that do not list what they hold. */
function ById({
  chosen,
  onToggle,
}: {
  chosen: readonly string[];
  onToggle: (inscriptionId: string) => void;
}) {
  const [text, setText] = useState(chosen[0] ?? "");
  const isWrong = text !== "" && !isInscriptionId(text);
  return (
    <Field
      label="Inscription id"
      hint="Your wallet does not list inscriptions here. Copy the id from it."
      error={isWrong ? "An id is 64 digits, the letter i and a number" : null}
    >
      {(ids) => (
        <Input
          {...ids}
          value={text}
          invalid={isWrong}
          onChange={(event) => {
            const next = event.target.value.trim();
            setText(next);
            for (const before of chosen) onToggle(before);
            if (isInscriptionId(next)) onToggle(next);
          }}
        />
      )}
    </Field>
  );
}
