import type { Collection } from "@/shared/api/collection";

const SHOWN_MAX = 6;

export interface FoundCollections {
  /**
   * The matches: names that start with the search before those that contain it, limited to a readable number.
   */
  rows: readonly Collection[];
  /** Whether they come first, before actions that only resemble the search. */
  lead: boolean;
}

/** The collections that match a search; none without one, since a market of thousands is no list. */
export function foundCollections(
  rows: Iterable<Collection>,
  search: string,
  actionLabels: readonly string[],
): FoundCollections {
  const needle = folded(search.trim());
  if (needle === "") return { rows: [], lead: false };
  const starting: Collection[] = [];
  const containing: Collection[] = [];
  for (const row of rows) {
    const at = folded(row.collectionName).indexOf(needle);
    if (at === 0) starting.push(row);
    else if (at > 0 && containing.length < SHOWN_MAX) containing.push(row);
    if (starting.length === SHOWN_MAX) break;
  }
  return {
    rows: [...starting, ...containing].slice(0, SHOWN_MAX),
    lead: starting.length > 0 && !actionLabels.some((label) => folded(label).startsWith(needle)),
  };
}

function folded(text: string): string {
  return text.toLocaleLowerCase("en");
}
