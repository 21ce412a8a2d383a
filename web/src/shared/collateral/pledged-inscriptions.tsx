import type { Collection } from "@/shared/api/collection";
import { inscriptionsText } from "@/shared/api/pledge";
import { shortenAddress } from "@/shared/format/name";
import { CollectionImage } from "@/shared/ui/collection-image";
import { ShortList } from "@/shared/ui/short-list";

/** The inscriptions that are pledged together, each with its id; nothing for one, or with tokens. */
export function PledgedInscriptions({
  row,
  inscriptionIds,
}: {
  row: Pick<Collection, "id" | "collectionName" | "collectionImgURL">;
  inscriptionIds: readonly string[];
}) {
  if (inscriptionIds.length < 2) return null;
  const label = `${inscriptionsText(inscriptionIds.length)}, one loan`;
  return (
    <section aria-label={label} className="flex flex-col gap-2">
      <h3 className="text-xs font-normal text-soft">{label}</h3>
      <ShortList label={inscriptionsText(inscriptionIds.length)} ids={inscriptionIds} className="gap-1.5">
        {(id) => (
          <span className="flex min-w-0 items-center gap-3 rounded-control border border-line px-3 py-1.5 text-sm">
            <CollectionImage id={row.id} name={row.collectionName} url={row.collectionImgURL} size="small" />
            <span className="min-w-0 truncate font-mono text-xs" title={id}>
              {shortenAddress(id, 8)}
            </span>
          </span>
        )}
      </ShortList>
    </section>
  );
}
