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
  /** The inscription to pledge, of a link of another site. */
  inscription: string | null;
}

export interface OpenDialog {
  slug: string;
  view: DialogView;
  /** The offer to open the book at. */
  offer?: string;
  /** The inscription to pledge. */
  inscription?: string;
}

/**
 * The dialog that a URL opens. Without a view the path decides: a path to borrow borrows, one to lend lends;
 * an offer is shown among the others of its book.
 */
export function dialogAt(
  mode: Mode,
  { collection, view, offer, inscription }: DialogAddress,
): OpenDialog | null {
  if (collection === null || collection === "") return null;
  const isOfOffer = offer !== null && offer !== "" && (view ?? "book") === "book";
  if (isOfOffer) return { slug: collection, view: "book", offer };
  const opened = { slug: collection, view: view ?? mode };
  return inscription && opened.view === "borrow" ? { ...opened, inscription } : opened;
}

/** The URL parameters of a dialog, as short as possible: a view that the path implies is left out. */
export function addressOf(mode: Mode, dialog: OpenDialog | null): DialogAddress {
  if (dialog === null) return { collection: null, view: null, offer: null, inscription: null };
  const { slug, view, offer = null, inscription = null } = dialog;
  return { collection: slug, view: view === mode || offer !== null ? null : view, offer, inscription };
}

/** The search parameters to keep in another category: the table's settings stay, the search text does not. */
export function keepAcrossCategories(search: string, to: Category): string {
  const parameters = new URLSearchParams(search);
  // There are no instant loans against BRC-20.
  if (to === "brc-20") parameters.delete("process");
  for (const name of ["collection", "view", "offer", "inscription", "q", "filters"]) parameters.delete(name);
  return parameters.toString();
}

/** The page of a category. */
export function marketPath(mode: Mode, category: Category): string {
  return `/${mode}/${category}`;
}
