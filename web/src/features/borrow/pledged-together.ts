import type { Collection } from "@/shared/api/collection";
import type { OwnCollateral, OwnInscription } from "@/shared/api/own-collateral";
import { inscriptionsIn } from "@/shared/collateral/holdings";

/** The inscriptions that an offer takes together, and what is known of them. */
export interface PledgedTogether {
  /** In the order in which they are pledged. */
  ids: readonly string[];
  /** Those in the user's wallet, by id. */
  held: ReadonlyMap<string, OwnInscription>;
}

/** The inscriptions that an offer takes together; null while they or the user's holdings are unknown. */
export function pledgedTogether(
  taken: ReadonlySet<string> | undefined,
  row: Collection,
  collateral: OwnCollateral | undefined,
): PledgedTogether | null {
  if (!taken || !collateral) return null;
  const own = inscriptionsIn(row, collateral).filter(({ inscription_id }) => taken.has(inscription_id));
  return { ids: [...taken], held: new Map(own.map((each) => [each.inscription_id, each])) };
}

/** Whether the wallet holds all of them. */
export function isComplete({ ids, held }: PledgedTogether): boolean {
  return ids.length > 0 && ids.every((id) => held.has(id));
}
