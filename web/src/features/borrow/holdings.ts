import { type Collection, decimalsOf } from "@/shared/api/collection";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";
import type { RuneBalances } from "@/shared/api/rune-balances";
import { formatTokenAmount } from "@/shared/format/unit-price";

/** The inscriptions of a collection that the person holds, those that can be pledged first. */
export function inscriptionsIn(row: Collection, { inscriptions }: OwnCollateral): OwnInscription[] {
  const own = inscriptions.filter(({ collectionId }) => collectionId === row.id);
  return own.sort((one, other) => Number(one.isPromised) - Number(other.isPromised));
}

/** Raw units of a rune that are promised to no loan. */
export function runeBalance(row: Collection, { runes }: OwnCollateral): bigint {
  return runes.find(({ runeId }) => runeId === row.runeId)?.freeRaw ?? 0n;
}

/** What somebody counts of a rune at the person's address while what can be pledged cannot be told. */
export function countedRunes(row: Collection, { provider, runes }: RuneBalances): string {
  const raw = runes.find(({ runeId }) => runeId === row.runeId)?.raw ?? 0n;
  const amount = `${formatTokenAmount(raw, decimalsOf(row), 4)} ${row.runeName ?? row.collectionName}`;
  return `${provider} reports ${amount} at your address. You can pledge them once the node and the indexer are back.`;
}
