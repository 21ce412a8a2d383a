import type { Collection } from "@/shared/api/collection";
import type { Conditions, NumberRange } from "@/shared/api/conditions";
import type { OwnCollateral } from "@/shared/api/own-collateral";
import { inscriptionsIn } from "@/shared/collateral/holdings";

/**
 * The inscriptions that an offer takes: those chosen by id, and the user's own in its ranges of numbers. One whose
 * number is not known may be in them: the server decides.
 */
export function takenInscriptions(
  chosen: ReadonlySet<string> | undefined,
  { numbers }: Pick<Conditions, "numbers">,
  row: Collection,
  collateral: OwnCollateral | undefined,
): ReadonlySet<string> {
  const own = collateral ? inscriptionsIn(row, collateral) : [];
  const byNumber = own.filter(({ inscription_number }) => isInRanges(inscription_number, numbers));
  return new Set([...(chosen ?? []), ...byNumber.map(({ inscription_id }) => inscription_id)]);
}

function isInRanges(number: number | null, ranges: readonly NumberRange[]): boolean {
  return ranges.some(({ first, last }) => number === null || (first <= number && number <= last));
}
