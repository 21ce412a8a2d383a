import type { Category } from "@/shared/api/collection";

export type Mode = "borrow" | "lend";

export const DIALOG_VIEWS = ["book", "detail", "borrow", "lend"] as const;
/** Which dialog of a collection is open. */
export type DialogView = (typeof DIALOG_VIEWS)[number];

/** What the address says about the dialog over the table. */
export interface DialogAddress {
  collection: string | null;
  view: DialogView | null;
  /** The offer that somebody was sent. */
  offer: string | null;
}

export interface OpenDialog {
  slug: string;
  view: DialogView;
  /** The offer that the book is opened for. */
  offer?: string;
}

/**
 * The dialog an address opens. Without a view the path decides: a path to borrow borrows, one to lend lends; an offer
 * is shown among the others of its book.
 */
export function dialogAt(mode: Mode, { collection, view, offer }: DialogAddress): OpenDialog | null {
  if (collection === null || collection === "") return null;
  const isOfOffer = offer !== null && offer !== "" && (view ?? "book") === "book";
  return isOfOffer ? { slug: collection, view: "book", offer } : { slug: collection, view: view ?? mode };
}

/** The address of a dialog, as short as it can be: a view that the path says already is left out. */
export function addressOf(mode: Mode, dialog: OpenDialog | null): DialogAddress {
  if (dialog === null) return { collection: null, view: null, offer: null };
  const { slug, view, offer = null } = dialog;
  return { collection: slug, view: view === mode || offer !== null ? null : view, offer };
}

/** How a person likes the table goes along to another category; what they looked for in this one does not. */
export function keepAcrossCategories(search: string, to: Category): string {
  const kept = new URLSearchParams(search);
  // There are no instant loans against BRC-20.
  if (to === "brc-20") kept.delete("process");
  for (const name of ["collection", "view", "offer", "q", "filters"]) kept.delete(name);
  return kept.toString();
}

/** The page of a category. */
export function marketPath(mode: Mode, category: Category): string {
  return `/${mode}/${category}`;
}
