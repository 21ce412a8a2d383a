import { type Collection, categoryOf } from "@/shared/api/collection";

type Group = Pick<Collection, "groupSlug" | "collateralType">;

/** The address of a group that is sent to others. */
export function shareLink(row: Group, mode: "borrow" | "lend", origin: string): string {
  return new URL(addressOf(row, mode, ["view", "detail"]), origin).href;
}

/** The address that shows an offer to those who may want to take it. */
export function offerLink(row: Group, offerId: string, origin: string): string {
  return new URL(addressOf(row, "borrow", ["offer", offerId]), origin).href;
}

/** Where a group is shown inside of the app. */
export function detailAddress(row: Group): string {
  return addressOf(row, "borrow", ["view", "detail"]);
}

function addressOf(row: Group, mode: "borrow" | "lend", [name, value]: [string, string]): string {
  const query = new URLSearchParams([["collection", row.groupSlug]]);
  query.append(name, value);
  return `/${mode}/${categoryOf(row.collateralType)}?${query}`;
}
