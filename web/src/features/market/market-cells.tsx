import { ArrowDown, ArrowUp, Star } from "lucide-react";
import type { ReactNode } from "react";
import type { Collection } from "@/shared/api/collection";
import { rateOf } from "@/shared/api/shown-terms";
import { useFavourites } from "@/shared/favourites/favourites-store";
import { formatChange, formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc, formatBtcVolume } from "@/shared/format/sats";
import { formatUnitPrice } from "@/shared/format/unit-price";
import { Badge } from "@/shared/ui/badge";
import { Changing } from "@/shared/ui/changing";
import { classNames } from "@/shared/ui/class-names";
import { changeOf, type MarketRow, type Mode, volumeOf } from "./market-rows";
import type { ChangePeriod, VolumePeriod } from "./market-view";

/** A placeholder for a missing number. */
export function NotAvailable() {
  return <span className="text-muted">–</span>;
}

export function Unit({ children }: { children: ReactNode }) {
  return <span className="text-muted"> {children}</span>;
}

export function BestOffer({ row }: { row: MarketRow }) {
  const { bestOffer } = row.quotes;
  return (
    <Changing value={bestOffer}>
      {bestOffer === null ? (
        <NotAvailable />
      ) : (
        <>
          {formatBtc(bestOffer)}
          <Unit>₿</Unit>
        </>
      )}
    </Changing>
  );
}

export function Rate({ row, mode }: { row: MarketRow; mode: Mode }) {
  if (row.terms === null) return <NotAvailable />;
  return <span>{formatPercentFixed(rateOf(row.terms, mode), 2)}</span>;
}

export function Ltv({ row }: { row: MarketRow }) {
  const { ltv } = row.quotes;
  return <Changing value={ltv}>{ltv === null ? <NotAvailable /> : formatPercentFixed(ltv, 2)}</Changing>;
}

/** The floor of inscriptions in BTC, the price of one token in sats. */
export function Price({ collection }: { collection: Collection }) {
  if (collection.collateralType === "inscription") {
    return (
      <Changing value={collection.floor}>
        {collection.floor === null ? (
          <NotAvailable />
        ) : (
          <>
            {formatBtc(collection.floor)}
            <Unit>₿</Unit>
          </>
        )}
      </Changing>
    );
  }
  return (
    <Changing value={collection.unitPrice}>
      {collection.unitPrice === null ? (
        <NotAvailable />
      ) : (
        <>
          {formatUnitPrice(collection.unitPrice)}
          <Unit>sats</Unit>
        </>
      )}
    </Changing>
  );
}

export function Volume({ collection, period }: { collection: Collection; period: VolumePeriod }) {
  return (
    <span>
      {formatBtcVolume(volumeOf(collection, period))}
      <Unit>₿</Unit>
    </span>
  );
}

export function PriceChange({ collection, period }: { collection: Collection; period: ChangePeriod }) {
  const change = changeOf(collection, period);
  if (change === null) return <NotAvailable />;
  const text = formatChange(change);
  if (!/[1-9]/.test(text)) return <span className="text-muted">{text}</span>;
  const Arrow = change > 0 ? ArrowUp : ArrowDown;
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-0.5 align-bottom",
        change > 0 ? "text-up" : "text-down",
      )}
    >
      <Arrow size={12} aria-hidden />
      {text}
    </span>
  );
}

/** Extra points that a loan in this collection earns. */
export function Points({ collection }: { collection: Collection }) {
  if (!collection.pointsMultiplier) return null;
  return (
    <Badge title="Extra points for loans in this collection">
      +{formatPercent(collection.pointsMultiplier)}
    </Badge>
  );
}

export function FavouriteStar({ collection, starred }: { collection: Collection; starred: boolean }) {
  const toggle = useFavourites((state) => state.toggle);
  return (
    <button
      type="button"
      aria-pressed={starred}
      aria-label={`Favorite ${collection.collectionName}`}
      onClick={(event) => {
        event.stopPropagation();
        toggle(collection.id);
      }}
      className={classNames(
        "flex size-8 shrink-0 items-center justify-center rounded-control transition-colors hover:text-text",
        starred ? "text-text" : "text-muted",
      )}
    >
      <Star size={16} aria-hidden fill={starred ? "currentColor" : "none"} />
    </button>
  );
}
