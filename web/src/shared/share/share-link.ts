import { type Collection, categoryOf } from "@/shared/api/collection";

type Group = Pick<Collection, "groupSlug" | "collateralType">;

/** The address that shows a group to whoever is sent it. */
export function shareLink(row: Group, mode: "borrow" | "lend", origin: string): string {
  return addressOf(row, mode, origin, ["view", "detail"]);
}

/** The address that shows an offer to those who may want to take it. */
export function offerLink(row: Group, offerId: string, origin: string): string {
  return addressOf(row, "borrow", origin, ["offer", offerId]);
}

function addressOf(
  row: Group,
  mode: "borrow" | "lend",
  origin: string,
  [name, value]: [string, string],
): string {
  const address = new URL(`/${mode}/${categoryOf(row.collateralType)}`, origin);
  address.searchParams.set("collection", row.groupSlug);
  address.searchParams.set(name, value);
  return address.href;
}
