import { Collapsible } from "@base-ui/react/collapsible";
import { Check, ChevronRight, CircleAlert } from "lucide-react";
import type { MyOffer } from "@/shared/api/my-offer";
import { formatBtc } from "@/shared/format/sats";
import { Badge } from "@/shared/ui/badge";
import type { OfferFate } from "./deletion";

const COLLATERAL = { inscription: "Ordinal", rune: "Rune", brc20: "BRC-20" } as const;

/** A collapsible list of offers of one process that are deleted together; each with its result. */
export function OfferGroup({
  title,
  offers,
  fates,
}: {
  title: string;
  offers: readonly MyOffer[];
  fates?: ReadonlyMap<string, OfferFate>;
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
            <OfferLine key={offer.offerId} offer={offer} fate={fates?.get(offer.offerId)} />
          ))}
        </ul>
      </Collapsible.Panel>
    </Collapsible.Root>
  );
}

function OfferLine({ offer, fate }: { offer: MyOffer; fate: OfferFate | undefined }) {
  return (
    <li
      data-fate={fate?.state}
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-sm"
    >
      {fate?.state === "deleted" && <Check size={16} role="img" aria-label="Deleted" className="text-up" />}
      {fate?.state === "kept" && (
        <CircleAlert size={16} role="img" aria-label="Not deleted" className="text-down" />
      )}
      <span className="min-w-0 flex-1 truncate">{offer.collectionName}</span>
      <span>{formatBtc(offer.principal)}</span>
      <span className="text-muted">{offer.term} days</span>
      <Badge>{COLLATERAL[offer.collateralType]}</Badge>
      {fate?.state === "kept" && <span className="basis-full text-xs text-down">{fate.reason}</span>}
    </li>
  );
}
