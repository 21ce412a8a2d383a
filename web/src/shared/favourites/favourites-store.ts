import { create } from "zustand";
import { useSession } from "@/shared/session/session-store";
import { fetchFavourites, saveFavourite } from "./favourites-requests";

const STORAGE_KEY = "lienbook.favourites";
const FAVOURITES_MAX = 1_000;

interface FavouritesState {
  /** Collection ids. */
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
}

/** The starred collections: stored by the server for a signed-in user, otherwise in this browser. */
export const useFavourites = create<FavouritesState>((set, get) => ({
  ids: remembered(),
  toggle: (id) => {
    const isStarred = !get().ids.has(id);
    const show = (starred: boolean) => set({ ids: withStar(get().ids, id, starred) });
    show(isStarred);
    if (signedInUser() === null) remember(get().ids);
    else saveFavourite(id, isStarred).catch(() => show(!isStarred));
  },
}));

/** Moves stars given before sign-in to the account; sign-out leaves none in the browser. */
export async function followSession(userId: string | null): Promise<void> {
  const own = remembered();
  if (userId === null) return useFavourites.setState({ ids: own });
  const isSameUser = () => signedInUser() === userId;
  let ids = await fetchFavourites();
  const unsaved = new Set<string>();
  for (const id of own) {
    if (ids.includes(id) || !isSameUser()) continue;
    ids = await saveFavourite(id, true).catch(() => {
      unsaved.add(id);
      return ids;
    });
  }
  if (!isSameUser()) return;
  remember(unsaved);
  useFavourites.setState({ ids: new Set([...ids, ...unsaved]) });
}

useSession.subscribe(({ session }, before) => {
  const userId = session?.userId ?? null;
  // Without a response the stars of this browser stay visible.
  if (userId !== (before.session?.userId ?? null)) followSession(userId).catch(() => undefined);
});

/** Reads stored favourites; any other content counts as none. */
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

function signedInUser(): string | null {
  return useSession.getState().session?.userId ?? null;
}

function withStar(ids: ReadonlySet<string>, id: string, isStarred: boolean): Set<string> {
  const changed = new Set(ids);
  if (isStarred) changed.add(id);
  else changed.delete(id);
  return changed;
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
