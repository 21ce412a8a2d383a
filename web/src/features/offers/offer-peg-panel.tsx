import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import { pegStep } from "@/shared/api/peg";
import { formatBtcPaid } from "@/shared/format/sats";
import { PegChart } from "@/shared/price/peg-chart";
import { priceName, rangeText } from "@/shared/price/peg-text";
import { offerPeg, pegTag, pegTexts } from "./offer-peg";

/** The share, range and next changes of a principal that follows the floor; nothing if it is fixed. */
export function OfferPegPanel({ offer }: { offer: MyOffer }) {
  const peg = offerPeg(offer);
  if (peg === null) return null;
  const { bounds, level } = peg;
  const isChart = offer.unitPrice !== null && !isUnderOffer(offer);
  return (
    <section
      aria-label={`Follows the ${priceName(offer.collateralType)}`}
      className="flex flex-col gap-2 rounded-control border border-line px-3 py-2"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <h3 className="text-soft">{pegTag(offer)}</h3>
        <span>
          {rangeText(bounds)}
          <span className="text-muted"> in steps of {formatBtcPaid(pegStep(bounds))}</span>
        </span>
      </div>
      {isChart && (
        <PegChart bounds={bounds} level={level} price={offer.unitPrice ?? 0n} type={offer.collateralType} />
      )}
      <ul className="flex flex-col gap-0.5 text-xs text-soft">
        {pegTexts(offer, peg).map((text) => (
          <li key={text}>{text}.</li>
        ))}
      </ul>
    </section>
  );
}
