import type { Category } from "@/shared/api/collection";
import { readCookie } from "@/shared/ui/cookie";

export const CATEGORY_COOKIE = "lienbook.category";

export const CATEGORIES: ReadonlyArray<{ category: Category; label: string }> = [
  { category: "ordinals", label: "Ordinals" },
  { category: "runes", label: "Runes" },
  { category: "brc-20", label: "BRC-20" },
];

/** The part of the market a person chose last; a first visit starts with the inscriptions. */
export function lastCategory(cookies: string): Category {
  const stored = readCookie(cookies, CATEGORY_COOKIE);
  return CATEGORIES.find(({ category }) => category === stored)?.category ?? "ordinals";
}
