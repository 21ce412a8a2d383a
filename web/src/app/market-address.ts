import type { Category } from "@/shared/api/collection";

export type Mode = "borrow" | "lend";

export const DIALOG_VIEWS = ["book", "detail", "borrow", "lend"] as const;
/** The view of a collection's open dialog. */
export type DialogView = (typeof DIALOG_VIEWS)[number];

/** The parts of the URL about the dialog over the table. */
export interface DialogAddress {
  collection: string | null;
  view: DialogView | null;
  /** The offer of a shared link. */
  offer: string | null;
}

export interface OpenDialog {
  slug: string;
  view: DialogView;
  /** The offer to open the book at. */
  offer?: string;
}

/**
 * The dialog that a URL opens. Without a view the path decides: a path to borrow borrows, one to lend lends;
 * an offer is shown among the others of its book.
 */
export function dialogAt(mode: Mode, { collection, view, offer }: DialogAddress): OpenDialog | null {
  if (collection === null || collection === "") return null;
  const isOfOffer = offer !== null && offer !== "" && (view ?? "book") === "book";
  return isOfOffer ? { slug: collection, view: "book", offer } : { slug: collection, view: view ?? mode };
}

/** The URL parameters of a dialog, as short as possible: a view that the path implies is left out. */
export function addressOf(mode: Mode, dialog: OpenDialog | null): DialogAddress {
  if (dialog === null) return { collection: null, view: null, offer: null };
  const { slug, view, offer = null } = dialog;
  return { collection: slug, view: view === mode || offer !== null ? null : view, offer };
}

/** The search parameters to keep in another category: the table's settings stay, the search text does not. */
export function keepAcrossCategories(search: string, to: Category): string {
  const parameters = new URLSearchParams(search);
  // There are no instant loans against BRC-20.
  if (to === "brc-20") parameters.delete("process");
  for (const name of ["collection", "view", "offer", "q", "filters"]) parameters.delete(name);
  return parameters.toString();
}

/** The page of a category. */
export function marketPath(mode: Mode, category: Category): string {
  return `/${mode}/${category}`;
}
