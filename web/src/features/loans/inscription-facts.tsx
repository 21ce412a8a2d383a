import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { type Inscription, inscriptionQuery } from "@/shared/api/inscription";
import { SumLine, SumLines } from "@/shared/ui/sum-lines";

/** Display names of known indexers; any other is shown under the operator's name for it. */
const DESCRIBERS: Readonly<Record<string, string>> = {
  BESTINSLOT: "Best in Slot",
  MAGICEDEN: "Magic Eden",
  ORDISCAN: "Ordiscan",
};

/** A description of the pledged inscription. Decorative: no loan figure depends on it. */
export function InscriptionFacts({
  inscriptionId,
  label = "Inscription",
}: {
  inscriptionId: string;
  /** The section's name, which tells several of them apart. */
  label?: string;
}) {
  const { data: found, isLoading } = useQuery(inscriptionQuery(inscriptionId));
  if (isLoading) return <Skeleton />;
  if (!found) return null;
  const { inscriptionNumber, mimeType } = found;
  return (
    <section aria-label={label} className="flex flex-col gap-2">
      <SumLines>
        <SumLine label="Inscription number">{inscriptionNumber?.toLocaleString("en") ?? "–"}</SumLine>
        <SumLine label="Content">
          <span className="min-w-0 [overflow-wrap:anywhere]">{mimeType ?? "–"}</span>
        </SumLine>
      </SumLines>
      <Description inscription={found} />
    </section>
  );
}

/** Reserves the space of number and content: only with a description something moves when it loads. */
function Skeleton() {
  return (
    <div aria-hidden className="animate-shimmer">
      <SumLines>
        <SumLine label="&nbsp;">&nbsp;</SumLine>
        <SumLine label="&nbsp;">&nbsp;</SumLine>
      </SumLines>
    </div>
  );
}

/**
 * The indexer's description of the inscription, marked as external text that is not part of the loan's terms.
 */
function Description({ inscription }: { inscription: Inscription }) {
  const { inscriptionName, contentURI, attributes, provider } = inscription;
  if (inscriptionName === null && contentURI === null && attributes.length === 0) return null;
  return (
    <figure className="flex min-w-0 flex-col gap-1.5 border-l-2 border-line pl-3 text-xs text-muted">
      <figcaption>What {DESCRIBERS[provider] ?? provider} writes of the inscription</figcaption>
      <blockquote className="min-w-0 [overflow-wrap:anywhere]">
        {inscriptionName !== null && <p className="text-soft">{inscriptionName}</p>}
        {attributes.length > 0 && (
          <p>{attributes.map(({ traitType, value }) => `${traitType}: ${value}`).join(" · ")}</p>
        )}
      </blockquote>
      {contentURI !== null && (
        <a
          href={contentURI}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 self-start rounded-control underline decoration-line-strong underline-offset-4 hover:decoration-current"
        >
          Its content, at {new URL(contentURI, location.href).host}
          <ExternalLink size={14} aria-hidden />
          <span className="sr-only">opens in a new tab</span>
        </a>
      )}
    </figure>
  );
}
