import type { PriceSource } from "@/shared/api/price-source";

/** The text under a price that comes from a single marketplace; null with several sources or none. */
export function oneSourceText(source: PriceSource | undefined): string | null {
  if (!source?.isOneSource) return null;
  const consequence = source.believesOneSource
    ? "Small moves are accepted. A large one is accepted only after it has been reported many times."
    : "The price shown does not change until a second one agrees.";
  return `Only one marketplace reports a price now. ${consequence}`;
}
