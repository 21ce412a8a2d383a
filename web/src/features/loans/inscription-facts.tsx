import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { inscriptionQuery } from "@/shared/api/inscription";
import { SumLine, SumLines } from "@/shared/ui/sum-lines";

/** What the pledged inscription is. An ornament: what is lent and owed is known without it. */
export function InscriptionFacts({ inscriptionId }: { inscriptionId: string }) {
  const { data: found } = useQuery(inscriptionQuery(inscriptionId));
  if (!found) return null;
  const { inscriptionName, inscriptionNumber, mimeType, contentURI, attributes, provider } = found;
  return (
    <section aria-label="Inscription" className="flex flex-col gap-2">
      <SumLines>
        <SumLine label="Name">
          <span className="break-words">{inscriptionName}</span>
        </SumLine>
        {inscriptionNumber !== null && (
          <SumLine label="Number">{inscriptionNumber.toLocaleString("en")}</SumLine>
        )}
        {mimeType !== null && <SumLine label="Content">{mimeType}</SumLine>}
        {attributes.map(({ traitType, value }) => (
          <SumLine key={`${traitType}:${value}`} label={traitType}>
            <span className="break-words">{value}</span>
          </SumLine>
        ))}
      </SumLines>
      <p className="flex flex-wrap items-center justify-between gap-x-3 text-xs text-muted">
        <span>As {provider} describes it.</span>
        {contentURI !== null && (
          <a
            href={contentURI}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-1.5 rounded-control underline decoration-line-strong underline-offset-4 hover:decoration-current"
          >
            See its content
            <ExternalLink size={14} aria-hidden />
            <span className="sr-only">opens in a new tab</span>
          </a>
        )}
      </p>
    </section>
  );
}
