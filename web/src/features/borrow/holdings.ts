import type { Collection } from "@/shared/api/collection";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";

/** The inscriptions of a collection that the person holds, those that can be pledged first. */
export function inscriptionsIn(row: Collection, { inscriptions }: OwnCollateral): OwnInscription[] {
  const own = inscriptions.filter(({ collectionId }) => collectionId === row.id);
  return own.sort((one, other) => Number(one.isPromised) - Number(other.isPromised));
}

/** Raw units of a rune that are promised to no loan. */
export function runeBalance(row: Collection, { runes }: OwnCollateral): bigint {
  return runes.find(({ runeId }) => runeId === row.runeId)?.freeRaw ?? 0n;
}
