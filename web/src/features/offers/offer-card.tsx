import { memo, type ReactNode } from "react";
import { truncateName } from "@/shared/format/name";
import { formatApy, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { rangeText } from "@/shared/price/peg-text";
import { Changing } from "@/shared/ui/changing";
import { CheckBox } from "@/shared/ui/check-box";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";
import { OfferActions } from "./offer-actions";
import { fillText, unlentSats } from "./offer-collateral";
import { OfferRankCell } from "./offer-rank-cell";
import { Floor, type OfferRowProps } from "./offer-row";
import { OfferTags } from "./offer-tags";

/** One offer on a narrow screen: the remaining amount and the rank first, the rest in one line below. */
export const OfferCard = memo(function OfferCard({
  offer,
  isSelected,
  onSelect,
  ...handlers
}: OfferRowProps) {
  const filled = fillText(offer);
  return (
    <article
      aria-label={`Offer for ${offer.collectionName}`}
      data-offer={offer.offerId}
      className={classNames(
        "flex flex-col gap-2 rounded-card border bg-surface p-3",
        isSelected ? "border-text" : "border-line",
      )}
    >
      <div className="flex items-center gap-3">
        <CollectionImage id={offer.groupId} name={offer.collectionName} url={offer.collectionImgURL} />
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <h2 title={offer.collectionName} className="truncate text-sm">
            {truncateName(offer.collectionName)}
          </h2>
          <OfferTags offer={offer} full onOpen={handlers.onOpen} />
        </div>
        <CheckBox checked={isSelected} onChange={(next) => onSelect(offer.offerId, next)} className="p-2">
          <span className="sr-only">Select offer for {offer.collectionName}</span>
        </CheckBox>
      </div>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <Changing value={unlentSats(offer)} className="text-lg font-strong">
            {formatBtc(unlentSats(offer))} <span className="text-sm font-normal text-muted">BTC</span>
          </Changing>
          {filled && <span className="text-xs text-muted">{filled}</span>}
          {offer.peg && <span className="text-xs text-muted">of {rangeText(offer.peg)}</span>}
        </span>
        <span className="min-w-0 text-sm">
          <OfferRankCell offer={offer} onOpen={handlers.onOpen} />
        </span>
      </div>
      <div className="flex items-end justify-between gap-x-4">
        <dl className="flex flex-wrap items-center gap-x-4 gap-y-2 py-1 text-xs">
          <Fact label="APY">{formatApy(offer.apy)}</Fact>
          <Fact label="Term">{offer.term} d</Fact>
          <Fact label="LTV">{offer.ltv === null ? "–" : formatPercentFixed(offer.ltv, 2)}</Fact>
          <Fact label={offer.collateralType === "inscription" ? "Floor" : "Price"}>
            <Floor offer={offer} />
          </Fact>
        </dl>
        <div className="-mr-2 shrink-0">
          <OfferActions offer={offer} {...handlers} />
        </div>
      </div>
    </article>
  );
});

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
