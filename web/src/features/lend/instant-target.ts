import type { ServerConfig } from "@/shared/api/config";
import type { RankedQuote } from "@/shared/bitcoin/offer-rank";
import type { Book } from "@/shared/feed/book-channel";
import type { InstantTarget } from "./instant-draft";
import { type Competition, competitors, lendTargets } from "./lend-target";

/** Everything that instant offers can be made for now, in the group's order. */
export function instantTargets(
  book: Book,
  config: ServerConfig,
  editedOfferId: string | null,
): InstantTarget[] {
  const competition: Competition = { process: "instant", editedOfferId };
  const { defaultMaxLtvOffset, minLtvGap } = config.limits;
  return lendTargets(book, config, competition).map((target) => ({
    ...target,
    isRune: book.row.collateralType === "rune",
    maxLtvOffset: defaultMaxLtvOffset,
    minLtvGap,
    bestQuote: leader(competitors(book, target.subCollectionId, competition)),
  }));
}

/** The quote that stands first; null without one. */
function leader(quotes: RankedQuote[]): RankedQuote | null {
  return quotes.reduce<RankedQuote | null>(
    (best, quote) =>
      best && best.principalSats * quote.raw >= quote.principalSats * best.raw ? best : quote,
    null,
  );
}
