import type { Collection } from "@/shared/api/collection";
import { inscriptionsText } from "@/shared/api/pledge";
import { togetherText } from "@/shared/collateral/pledge-text";
import { shortenAddress } from "@/shared/format/name";
import { CollectionImage } from "@/shared/ui/collection-image";
import { ShortList } from "@/shared/ui/short-list";
import { isComplete, type PledgedTogether } from "./pledged-together";

/** The inscriptions that an offer takes together. There is no choice: the request that it fills names them. */
export function TogetherPledge({
  row,
  count,
  pledged,
  error,
}: {
  row: Collection;
  count: number;
  /** Null while they are unknown. */
  pledged: PledgedTogether | null;
  /** The reason why they could not be loaded. */
  error: string | null;
}) {
  return (
    <section aria-label="Inscriptions to pledge" className="flex min-w-0 flex-col gap-2">
      <p className="text-xs text-soft">{togetherText(count)}</p>
      {!pledged && !error && (
        <div aria-hidden className="h-32 animate-shimmer rounded-control border border-line bg-raised" />
      )}
      {!pledged && error && (
        <p role="alert" className="text-sm text-down">
          The inscriptions could not be loaded: {error}
        </p>
      )}
      {pledged && (
        <ShortList label={inscriptionsText(count)} ids={pledged.ids} className="gap-1.5">
          {(id) => <PledgedLine row={row} id={id} pledged={pledged} />}
        </ShortList>
      )}
      {pledged && !isComplete(pledged) && (
        <p role="alert" className="rounded-control bg-down-tint px-3 py-2 text-sm text-down">
          {missingText(pledged)} not at your ordinals address. The loan needs all of them.
        </p>
      )}
    </section>
  );
}

function PledgedLine({ row, id, pledged }: { row: Collection; id: string; pledged: PledgedTogether }) {
  const own = pledged.held.get(id);
  return (
    <span className="flex min-h-12 min-w-0 items-center gap-3 rounded-control border border-line px-3 py-1.5">
      <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
      <span className="min-w-0 flex-1 truncate text-sm" title={own?.inscription_name}>
        {own?.inscription_name ?? <span className="text-down">Not in your wallet</span>}
      </span>
      <span className="shrink-0 text-xs text-muted" title={id}>
        {own?.isPromised ? "in another loan" : <span className="font-mono">{shortenAddress(id, 4)}</span>}
      </span>
    </span>
  );
}

function missingText({ ids, held }: PledgedTogether): string {
  const count = ids.filter((id) => !held.has(id)).length;
  return `${count} of ${ids.length} ${count === 1 ? "is" : "are"}`;
}
