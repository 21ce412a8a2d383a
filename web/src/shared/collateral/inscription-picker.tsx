import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";
import { shortenAddress } from "@/shared/format/name";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";
import { inscriptionsIn } from "./holdings";

interface InscriptionPickerProps {
  row: Collection;
  /** Null while the server looks it up. */
  collateral: OwnCollateral | null;
  error: string | null;
  chosen: readonly string[];
  /** The inscriptions that the offer takes; null if it takes any. */
  taken: ReadonlySet<string> | null;
  /** The number of inscriptions that can be pledged at once. */
  max: number;
  /** The reason why no more can be chosen, where a choice beyond `max` is refused; null where it replaces the oldest. */
  maxReason?: string | null;
  disabled: boolean;
  onToggle: (inscriptionId: string) => void;
  /** The reason why the choice cannot be submitted. */
  problem: ReactNode;
}

/** The choice of pledged inscriptions: those of the collection that are alone on an output of the user's. */
export function InscriptionPicker(props: InscriptionPickerProps) {
  const { row, collateral, error, chosen, taken, max, maxReason = null, disabled, onToggle, problem } = props;
  const own = collateral ? inscriptionsIn(row, collateral) : [];
  const isFull = maxReason !== null && chosen.length >= max;
  return (
    <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-xs text-soft">
        {max > 1 ? `Inscriptions to pledge, up to ${max}` : "Inscription to pledge"}
      </legend>
      {!collateral && !error && (
        <div aria-hidden className="h-14 animate-shimmer rounded-control border border-line bg-raised" />
      )}
      {!collateral && error && (
        <p role="alert" className="text-sm text-down">
          Your holdings could not be loaded: {error}
        </p>
      )}
      {collateral && own.length === 0 && (
        <p className="rounded-control border border-line bg-ground px-3 py-4 text-center text-sm text-soft">
          You do not own any {row.collectionName}
        </p>
      )}
      {own.length > 0 && (
        <ul className="flex max-h-44 flex-col gap-1.5 overflow-y-auto">
          {own.map((inscription) => (
            <li key={inscription.inscription_id}>
              <Choice
                row={row}
                inscription={inscription}
                isChosen={chosen.includes(inscription.inscription_id)}
                isTaken={taken === null || taken.has(inscription.inscription_id)}
                isMany={max > 1}
                isRefused={isFull}
                onToggle={() => onToggle(inscription.inscription_id)}
              />
            </li>
          ))}
        </ul>
      )}
      {own.length > 0 && maxReason !== null && (
        <p role="status" className="text-xs text-soft">
          {chosen.length} of {max} chosen{isFull && `. ${maxReason}`}
        </p>
      )}
      {problem}
    </fieldset>
  );
}

function Choice({
  row,
  inscription,
  isChosen,
  isTaken,
  isMany,
  isRefused,
  onToggle,
}: {
  row: Collection;
  inscription: OwnInscription;
  isChosen: boolean;
  /** Whether the offer takes it. */
  isTaken: boolean;
  isMany: boolean;
  /** Whether no more than the chosen ones can be pledged. */
  isRefused: boolean;
  onToggle: () => void;
}) {
  const { inscription_id, inscription_name, inscription_number, isPromised } = inscription;
  const isFree = isTaken && !isPromised && (isChosen || !isRefused);
  return (
    <label
      className={classNames(
        "flex min-h-12 items-center gap-3 rounded-control border px-3 py-1.5 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-focus",
        isChosen ? "border-text bg-raised" : "border-line",
        !isFree ? "stale" : "cursor-pointer hover:border-line-strong",
      )}
    >
      <input
        type={isMany ? "checkbox" : "radio"}
        checked={isChosen}
        disabled={!isFree}
        onChange={onToggle}
        className="size-4 shrink-0 accent-text outline-none"
      />
      <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
      <span className="min-w-0 flex-1 truncate text-sm" title={inscription_name}>
        {inscription_name}
      </span>
      <span className="text-xs text-muted">
        {isPromised ? (
          "in another loan"
        ) : !isTaken ? (
          "not taken by this offer"
        ) : (
          <span className="font-mono">
            {inscription_number === null ? null : <span className="mr-2">#{inscription_number}</span>}
            {shortenAddress(inscription_id, 4)}
          </span>
        )}
      </span>
    </label>
  );
}
