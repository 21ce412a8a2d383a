import { type Collection, categoryOf } from "@/shared/api/collection";

/** The address that shows a group to whoever is sent it. */
export function shareLink(
  row: Pick<Collection, "groupSlug" | "collateralType">,
  mode: "borrow" | "lend",
  origin: string,
): string {
  const address = new URL(`/${mode}/${categoryOf(row.collateralType)}`, origin);
  address.searchParams.set("collection", row.groupSlug);
  address.searchParams.set("view", "detail");
  return address.href;
}
