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
 * Where the market opens. A first visit to borrow begins with loans that start at once; who was here before comes back
 * to the part they chose.
 */
export function openingAddress(mode: Mode, cookies: string, isKnown: boolean): string {
  const isNewcomer = !isKnown && readCookie(cookies, CATEGORY_COOKIE) === null;
  const path = marketPath(mode, lastCategory(cookies));
  return mode === "borrow" && isNewcomer ? `${path}?process=instant` : path;
}

/** The part of the market a person chose last; a first visit starts with the inscriptions. */
export function lastCategory(cookies: string): Category {
  const stored = readCookie(cookies, CATEGORY_COOKIE);
  return CATEGORIES.find(({ category }) => category === stored)?.category ?? "ordinals";
}
