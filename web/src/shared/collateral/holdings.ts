import { type Collection, decimalsOf } from "@/shared/api/collection";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";
import type { RuneBalances } from "@/shared/api/rune-balances";
import { formatTokenAmount } from "@/shared/format/unit-price";

/** The user's inscriptions of a collection, those that can be pledged first. */
export function inscriptionsIn(row: Collection, { inscriptions }: OwnCollateral): OwnInscription[] {
  const own = inscriptions.filter(({ collectionId }) => collectionId === row.id);
  return own.sort((one, other) => Number(one.isPromised) - Number(other.isPromised));
}

/** The chosen inscriptions that can still be pledged; all of them while the holdings are unknown. */
export function stillFree(
  chosen: readonly string[],
  row: Collection,
  collateral: OwnCollateral | null,
): string[] {
  if (collateral === null) return [...chosen];
  const free = inscriptionsIn(row, collateral).filter(({ isPromised }) => !isPromised);
  const ids = new Set(free.map(({ inscription_id }) => inscription_id));
  return chosen.filter((id) => ids.has(id));
}

/** Raw units of a rune that are not reserved for a loan. */
export function runeBalance(row: Collection, { runes }: OwnCollateral): bigint {
  return runes.find(({ runeId }) => runeId === row.runeId)?.freeRaw ?? 0n;
}

/** The rune balance that another indexer reports while the pledgeable amount is unknown. */
export function runeBalanceText(row: Collection, { provider, runes }: RuneBalances): string {
  const raw = runes.find(({ runeId }) => runeId === row.runeId)?.raw ?? 0n;
  const amount = `${formatTokenAmount(raw, decimalsOf(row), 4)} ${row.runeName ?? row.collectionName}`;
  return `${provider} reports ${amount} at your address. You can pledge them once the node and the indexer are back.`;
}
