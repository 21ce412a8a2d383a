import type { OwnCollateral } from "@/shared/api/own-collateral";
import { heldTickers, type OwnTokens } from "@/shared/api/own-tokens";

/**
 * Counts of the pledgeable holdings of an ordinals address; BRC-20 is null where its indexer does not
 * respond.
 */
export function holdingsText({ inscriptions, runes }: OwnCollateral, tokens: OwnTokens | null): string {
  const parts = [
    countText(inscriptions.length, "inscription"),
    countText(runes.filter(({ freeRaw }) => freeRaw > 0n).length, "rune"),
    countText(tokens ? heldTickers(tokens).size : 0, "BRC-20 token"),
  ].filter((part) => part !== null);
  if (parts.length > 0) return parts.join(", ");
  return tokens ? "Nothing to pledge" : "No inscriptions or runes";
}

function countText(count: number, what: string): string | null {
  return count === 0 ? null : `${count} ${what}${count === 1 ? "" : "s"}`;
}
