import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useDocumentTop } from "@/shared/ui/use-document-top";
import { OfferCard } from "./offer-card";
import type { OfferCollectionProps } from "./offer-table";

/** Estimated height of a card including the gap below; each is measured once rendered. */
const CARD_HEIGHT_PX = 152;
const OVERSCAN = 6;

/** The offers on a narrow screen as a list of cards. */
export function OfferCards({ offers, selected, ...handlers }: Omit<OfferCollectionProps, "view" | "onView">) {
  const frame = useRef<HTMLUListElement>(null);
  const top = useDocumentTop(frame);
  const virtual = useWindowVirtualizer({
    count: offers.length,
    estimateSize: () => CARD_HEIGHT_PX,
    getItemKey: (index) => offers[index]?.offerId ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  return (
    <ul ref={frame} aria-label="Your offers" className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const offer = offers[item.index];
        return (
          offer && (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0 pb-3"
              style={{ transform: `translateY(${item.start - top}px)` }}
            >
              <OfferCard offer={offer} isSelected={selected.has(offer.offerId)} {...handlers} />
            </li>
          )
        );
      })}
    </ul>
  );
}
