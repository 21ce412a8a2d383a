import { memo } from "react";
import type { MyOffer } from "@/shared/api/my-offer";
import { truncateName } from "@/shared/format/name";
import { formatApy, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Changing } from "@/shared/ui/changing";
import { CheckBox } from "@/shared/ui/check-box";
import { classNames } from "@/shared/ui/class-names";
import { CollectionImage } from "@/shared/ui/collection-image";
import { OfferActions, type OfferHandlers } from "./offer-actions";
import { filledPercent, fillText, unlentSats } from "./offer-collateral";
import { OfferRankCell } from "./offer-rank-cell";
import { OfferTags } from "./offer-tags";

export interface OfferRowProps extends OfferHandlers {
  offer: MyOffer;
  isSelected: boolean;
  onSelect: (offerId: string, isSelected: boolean) => void;
}

const CELL = "h-14 border-b border-line px-1.5 whitespace-nowrap xl:px-2";
const NUMBER = `${CELL} text-right`;

/** One offer on a wide screen. */
export const OfferRow = memo(function OfferRow({
  offer,
  index,
  isSelected,
  onSelect,
  ...handlers
}: OfferRowProps & { index: number }) {
  return (
    <tr
      aria-rowindex={index + 2}
      data-offer={offer.offerId}
      className={classNames(
        "group h-14 text-sm transition-colors",
        isSelected ? "bg-raised" : "hover:bg-surface",
      )}
    >
      <td className={CELL}>
        <CheckBox checked={isSelected} onChange={(next) => onSelect(offer.offerId, next)}>
          <span className="sr-only">Select offer for {offer.collectionName}</span>
        </CheckBox>
      </td>
      <td className={CELL}>
        <span className="flex min-w-0 items-center gap-2 xl:gap-3">
          <CollectionImage id={offer.groupId} name={offer.collectionName} url={offer.collectionImgURL} />
          {/* The tags are below the name, which needs the width for itself. */}
          <span className="flex min-w-0 flex-1 flex-col">
            <span title={offer.collectionName} className="truncate font-strong">
              {truncateName(offer.collectionName)}
            </span>
            <OfferTags offer={offer} onOpen={handlers.onOpen} />
          </span>
        </span>
      </td>
      <td className={NUMBER}>
        <Unlent offer={offer} />
      </td>
      <td className={NUMBER}>{formatApy(offer.apy)}</td>
      <td className={NUMBER}>
        {offer.term} <span className="text-muted">d</span>
      </td>
      <td className={NUMBER}>{offer.ltv === null ? <Unknown /> : formatPercentFixed(offer.ltv, 2)}</td>
      <td className={classNames(NUMBER, "truncate")}>
        <Floor offer={offer} />
      </td>
      <td className={classNames(NUMBER, "truncate")}>
        <OfferRankCell offer={offer} onOpen={handlers.onOpen} />
      </td>
      <td className={NUMBER}>
        <OfferActions offer={offer} isNarrow {...handlers} />
      </td>
    </tr>
  );
});

/** The remaining amount of an offer, over a bar of its lent share if there is one. */
function Unlent({ offer }: { offer: MyOffer }) {
  const filled = fillText(offer);
  const sats = unlentSats(offer);
  const amount = (
    <Changing value={sats}>
      {formatBtc(sats)} <span className="text-muted">₿</span>
    </Changing>
  );
  if (filled === null) return amount;
  return (
    <span title={`${filled} of ${formatBtc(offer.principal)} BTC`} className="relative inline-block">
      {amount}
      <span className="sr-only">{filled}</span>
      <span aria-hidden className="absolute inset-x-0 -bottom-1 h-1 overflow-hidden rounded-full bg-raised">
        <span className="block h-full rounded-full bg-soft" style={{ width: `${filledPercent(offer)}%` }} />
      </span>
    </span>
  );
}

function Unknown() {
  return <span className="text-muted">–</span>;
}

/** The floor of inscriptions in bitcoin; of tokens, which cost far less, in sats. */
export function Floor({ offer }: { offer: MyOffer }) {
  if (offer.floor !== null) {
    return (
      <Changing value={offer.floor}>
        {formatBtc(offer.floor)} <span className="text-muted">₿</span>
      </Changing>
    );
  }
  if (offer.unitPrice === null) return <Unknown />;
  return (
    <Changing value={offer.unitPrice}>
      {formatUnitPrice(offer.unitPrice)} <span className="text-muted">sats</span>
    </Changing>
  );
}
