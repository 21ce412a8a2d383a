import type { Category } from "@/shared/api/collection";
import { readCookie } from "@/shared/ui/cookie";
import { type Mode, marketPath } from "./market-address";

export const CATEGORY_COOKIE = "lienbook.category";

export const CATEGORIES: ReadonlyArray<{ category: Category; label: string }> = [
  { category: "ordinals", label: "Ordinals" },
  { category: "runes", label: "Runes" },
  { category: "brc-20", label: "BRC-20" },
];

/**
 * The initial URL of a mode. A first visit to borrow starts with instant loans; a returning user gets the
 * last chosen category.
 */
export function openingAddress(mode: Mode, cookies: string, isKnown: boolean): string {
  const isNewUser = !isKnown && readCookie(cookies, CATEGORY_COOKIE) === null;
  const path = marketPath(mode, lastCategory(cookies));
  return mode === "borrow" && isNewUser ? `${path}?process=instant` : path;
}

/** The last chosen category; a first visit starts with ordinals. */
export function lastCategory(cookies: string): Category {
  const stored = readCookie(cookies, CATEGORY_COOKIE);
  return CATEGORIES.find(({ category }) => category === stored)?.category ?? "ordinals";
}
