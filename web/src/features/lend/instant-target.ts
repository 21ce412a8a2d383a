import type { ServerConfig } from "@/shared/api/config";
import type { Book } from "@/shared/feed/book-channel";
import type { InstantTarget } from "./instant-draft";
import { bestQuoteOf, type Competition, competitors, lendTargets } from "./lend-target";

/** The current targets of instant offers, in the group's order. */
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
    bestQuote: bestQuoteOf(competitors(book, target.subCollectionId, competition)),
  }));
}
