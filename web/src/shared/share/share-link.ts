import { type Collection, categoryOf } from "@/shared/api/collection";

type Group = Pick<Collection, "groupSlug" | "collateralType">;

/** URL of a group, for sharing. */
export function shareLink(row: Group, mode: "borrow" | "lend", origin: string): string {
  return new URL(addressOf(row, mode, ["view", "detail"]), origin).href;
}

/**
 * URL of an offer, for sharing with possible borrowers. The key of an unlisted one is in the fragment, which
 * browsers do not send to the server.
 */
export function offerLink(
  row: Group,
  offerId: string,
  origin: string,
  linkKey: string | null = null,
): string {
  const { href } = new URL(addressOf(row, "borrow", ["offer", offerId]), origin);
  return linkKey === null ? href : `${href}#key=${linkKey}`;
}

/** The key of an unlisted offer in the fragment of a link; null without one. */
export function linkKeyOf(fragment: string): string | null {
  return /^#key=([0-9a-f]{32})$/.exec(fragment)?.[1] ?? null;
}

/** URL of an offer within the app. */
export function offerAddress(row: Group, offerId: string): string {
  return addressOf(row, "borrow", ["offer", offerId]);
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
