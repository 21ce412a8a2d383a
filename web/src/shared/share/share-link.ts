import { type Collection, categoryOf } from "@/shared/api/collection";

type Group = Pick<Collection, "groupSlug" | "collateralType">;

/** URL of a group, for sharing. */
export function shareLink(row: Group, mode: "borrow" | "lend", origin: string): string {
  return new URL(addressOf(row, mode, ["view", "detail"]), origin).href;
}

/** URL of an offer, for sharing with possible borrowers. */
export function offerLink(row: Group, offerId: string, origin: string): string {
  return new URL(addressOf(row, "borrow", ["offer", offerId]), origin).href;
}

/** URL of a group within the app. */
export function detailAddress(row: Group): string {
  return addressOf(row, "borrow", ["view", "detail"]);
}

function addressOf(row: Group, mode: "borrow" | "lend", [name, value]: [string, string]): string {
  const query = new URLSearchParams([["collection", row.groupSlug]]);
  query.append(name, value);
  return `/${mode}/${categoryOf(row.collateralType)}?${query}`;
}
