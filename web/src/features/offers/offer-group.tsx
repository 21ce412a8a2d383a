import { Collapsible } from "@base-ui/react/collapsible";
import { Check, ChevronRight, CircleAlert } from "lucide-react";
import type { MyOffer } from "@/shared/api/my-offer";
import { formatBtc } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import type { DeletionResult } from "./deletion";

const COLLATERAL = { inscription: "Ordinal", rune: "Rune", brc20: "BRC-20" } as const;

/** A collapsible list of offers of one process that are deleted together; each with its result. */
export function OfferGroup({
  title,
  offers,
  results,
}: {
  title: string;
  offers: readonly MyOffer[];
  results?: ReadonlyMap<string, DeletionResult>;
}) {
  if (offers.length === 0) return null;
  return (
    <Collapsible.Root defaultOpen className="rounded-card border border-line">
      <Collapsible.Trigger className="group flex h-11 w-full items-center gap-2 rounded-card px-3 text-left text-sm font-strong">
        <ChevronRight
          size={16}
          aria-hidden
          className="text-muted transition-transform group-data-panel-open:rotate-90"
        />
        <span className="flex-1">{title}</span>
        <Badge>{offers.length}</Badge>
      </Collapsible.Trigger>
      <Collapsible.Panel>
        <ul className="max-h-60 overflow-y-auto border-t border-line py-1">
          {offers.map((offer) => (
            <OfferLine key={offer.offerId} offer={offer} result={results?.get(offer.offerId)} />
          ))}
        </ul>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

function OfferLine({ offer, result }: { offer: MyOffer; result: DeletionResult | undefined }) {
  return (
    <li
      data-result={result?.state}
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-sm"
    >
      {result?.state === "deleted" && <Check size={16} role="img" aria-label="Deleted" className="text-up" />}
      {result?.state === "kept" && (
        <CircleAlert size={16} role="img" aria-label="Not deleted" className="text-down" />
      )}
      <span className="min-w-0 flex-1 truncate">{offer.collectionName}</span>
      <span>{formatBtc(offer.principal)}</span>
      <span className="text-muted">{offer.term} days</span>
      <Badge>{COLLATERAL[offer.collateralType]}</Badge>
      {result?.state === "kept" && <span className="basis-full text-xs text-down">{result.reason}</span>}
    </li>
  );
}
