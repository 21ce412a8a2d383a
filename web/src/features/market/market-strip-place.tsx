import { lazyPart } from "@/shared/ui/lazy-part";

/** As high before its figures are here as with them. */
export const STRIP_CLASS = "mb-3 h-13 overflow-hidden rounded-card border border-line md:h-16";

/** The market's strip, which the first rows do not wait for. */
export const MarketStrip = lazyPart(
  () => import("./market-strip").then((module) => module.MarketStrip),
  () => <div className={STRIP_CLASS} />,
);
