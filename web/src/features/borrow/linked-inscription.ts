import type { Collection } from "@/shared/api/collection";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { inscriptionsIn } from "@/shared/collateral/holdings";

/** The user's inscriptions that can be pledged for an offer; `taken` are those that it takes, null for any. */
export function freeInscriptions(
  row: Collection,
  collateral: OwnCollateral,
  taken: ReadonlySet<string> | null,
): string[] {
  if (row.collateralType !== "inscription") return [];
  return inscriptionsIn(row, collateral)
    .filter(({ isPromised, inscription_id }) => !isPromised && (taken === null || taken.has(inscription_id)))
    .map(({ inscription_id }) => inscription_id);
}

/**
 * The inscription to pledge before the user chooses: that of the link, and of no link the only one. Where the
 * link's cannot be pledged, no other one takes its place.
 */
export function firstChoice(free: readonly string[], linkedId: string | null): string | null {
  if (linkedId !== null) return free.includes(linkedId) ? linkedId : null;
  return free.length === 1 ? (free[0] ?? null) : null;
}
