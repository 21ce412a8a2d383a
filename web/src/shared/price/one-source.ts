import type { PriceSource } from "@/shared/api/price-source";

/** What a person reads under a price that one marketplace alone gives; null where more do, or where none is asked. */
export function oneSourceWords(source: PriceSource | undefined): string | null {
  if (!source?.isOneSource) return null;
  const consequence = source.believesOneSource
    ? "Small moves are taken over. A large one is taken over only after it has been seen many times."
    : "The price shown stays the same until a second one agrees.";
  return `Only one marketplace gives a price now. ${consequence}`;
}
