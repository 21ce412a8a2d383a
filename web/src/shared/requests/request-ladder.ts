import type { BorrowRequest } from "@/shared/api/borrow-request";
import { type Collection, decimalsOf, type SubCollection } from "@/shared/api/collection";
import { bpsOf } from "@/shared/api/loan-figures";
import { loanToValueBps } from "@/shared/api/loan-to-value";
import { type Pledge, pledgedRaw } from "@/shared/api/pledge";

/** Current LTV of a request, in basis points; null while there is no price. */
export function requestLtvBps(
  request: Pick<BorrowRequest, "principalSats"> & Pledge,
  row: Pick<Collection, "unitPrice" | "collateralType" | "runeDecimals">,
): number | null {
  if (row.unitPrice === null) return null;
  return loanToValueBps(request.principalSats, pledgedRaw(request), decimalsOf(row), row.unitPrice);
}

/** The terms of a collection that a request takes. */
export function fittingTerms(
  request: Pick<BorrowRequest, "interestMaxPercent" | "termMinDays" | "termMaxDays"> & Pledge,
  row: Pick<Collection, "subCollections">,
): SubCollection[] {
  return row.subCollections.filter(
    ({ interest, term, bundleSize, manual, instant }) =>
      bpsOf(interest) <= bpsOf(request.interestMaxPercent) &&
      term >= request.termMinDays &&
      term <= request.termMaxDays &&
      (manual || instant) &&
      isBundleOf(request, bundleSize),
  );
}

/** Whether loans of a bundle are against this collateral: those against one inscription are against several, too. */
function isBundleOf(pledge: Pledge, bundleSize: bigint | null): boolean {
  if (bundleSize === null || bundleSize === pledgedRaw(pledge)) return true;
  return bundleSize === 1n && pledge.inscriptionIds.length > 0;
}

/** The order of the order book: lowest LTV first, then the highest interest, then the earlier request. */
export function byLadder(row: (request: BorrowRequest) => Collection | undefined) {
  const ltv = (request: BorrowRequest) => {
    const group = row(request);
    return (group && requestLtvBps(request, group)) ?? Number.POSITIVE_INFINITY;
  };
  return (one: BorrowRequest, other: BorrowRequest): number =>
    compare(ltv(one), ltv(other)) ||
    other.interestMaxPercent - one.interestMaxPercent ||
    one.createdAt - other.createdAt ||
    compare(one.requestId, other.requestId);
}

/** Not a difference, which is not a number for two infinities. */
function compare<Value extends number | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The terms of a request, such as `7–30 days`. */
export function termText({
  termMinDays,
  termMaxDays,
}: Pick<BorrowRequest, "termMinDays" | "termMaxDays">): string {
  return termMinDays === termMaxDays ? `${termMinDays} days` : `${termMinDays}–${termMaxDays} days`;
}
