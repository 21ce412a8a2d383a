import type { PriceSource } from "@/shared/api/price-source";

/** What a person reads under a price that one marketplace alone gives; null where more do, or where none is asked. */
export function oneSourceWords(source: PriceSource | undefined): string | null {
  if (!source?.isOneSource) return null;
  const consequence = source.believesOneSource
    ? "Small moves are accepted. A large one is accepted only after it has been reported many times."
    : "The price shown does not change until a second one agrees.";
  return `Only one marketplace reports a price now. ${consequence}`;
}
