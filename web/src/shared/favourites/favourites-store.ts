import { create } from "zustand";

const STORAGE_KEY = "lienbook.favourites";
const FAVOURITES_MAX = 1_000;

interface FavouritesState {
  /** Collection ids. */
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
}

/** The collections a person starred, kept in this browser. */
export const useFavourites = create<FavouritesState>((set, get) => ({
  ids: remembered(),
  toggle: (id) => {
    const ids = new Set(get().ids);
    if (!ids.delete(id)) ids.add(id);
    remember(ids);
    set({ ids });
  },
}));

/** Reads stored favourites; whatever else is found there counts as none. */
export function parseFavourites(stored: string | null): Set<string> {
  if (stored === null) return new Set();
  try {
    const list: unknown = JSON.parse(stored);
    if (!Array.isArray(list)) return new Set();
    return new Set(list.filter((id) => typeof id === "string").slice(0, FAVOURITES_MAX));
  } catch {
    return new Set();
  }
}

function remembered(): Set<string> {
  try {
    return parseFavourites(localStorage.getItem(STORAGE_KEY));
  } catch {
    return new Set();
  }
}

function remember(ids: ReadonlySet<string>): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...ids].slice(-FAVOURITES_MAX)));
  } catch {
    // Without storage the stars last for this visit.
  }
}
