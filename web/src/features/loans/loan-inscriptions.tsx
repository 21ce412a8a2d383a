import { inscriptionsText } from "@/shared/api/pledge";
import { shortenAddress } from "@/shared/format/name";
import { ShortList } from "@/shared/ui/short-list";
import { InscriptionFacts } from "./inscription-facts";

/** The pledged inscriptions of a loan, described one by one; nothing with tokens. */
export function LoanInscriptions({ inscriptionIds }: { inscriptionIds: readonly string[] }) {
  const [only, ...others] = inscriptionIds;
  if (only === undefined) return null;
  if (others.length === 0) return <InscriptionFacts inscriptionId={only} />;
  const title = `${inscriptionsText(inscriptionIds.length)}, repaid and claimed together`;
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h3 className="text-sm font-normal text-soft">{title}</h3>
      <ShortList label={inscriptionsText(inscriptionIds.length)} ids={inscriptionIds} className="gap-4">
        {(id, index) => (
          <div className="flex min-w-0 flex-col gap-1.5">
            <h4 className="flex min-w-0 items-baseline gap-2 text-xs font-normal">
              <span className="text-soft">
                {index + 1} of {inscriptionIds.length}
              </span>
              <span className="truncate font-mono text-muted" title={id}>
                {shortenAddress(id, 8)}
              </span>
            </h4>
            <InscriptionFacts inscriptionId={id} label={`Inscription ${index + 1}`} />
          </div>
        )}
      </ShortList>
    </section>
  );
}
