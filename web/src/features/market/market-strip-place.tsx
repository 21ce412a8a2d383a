import { lazyPart } from "@/shared/ui/lazy-part";

/** The same height before and after its figures are loaded. */
export const STRIP_CLASS = "mb-3 h-13 overflow-hidden rounded-card border border-line md:h-16";

/** The market's summary, loaded after the first rows. */
export const MarketStrip = lazyPart(
  () => import("./market-strip").then((module) => module.MarketStrip),
  () => <div className={STRIP_CLASS} />,
);
