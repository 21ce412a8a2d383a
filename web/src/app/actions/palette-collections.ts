import type { Collection } from "@/shared/api/collection";

const SHOWN_MAX = 6;

export interface FoundCollections {
  /** The names that start with what is looked for before those that contain it; few enough to read. */
  rows: readonly Collection[];
  /** They are what is looked for, rather than an action that only resembles it. */
  lead: boolean;
}

/** The collections that stand in the palette for a search; none without one, since a market of thousands is no list. */
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
